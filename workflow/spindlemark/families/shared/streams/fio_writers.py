"""fio's words for recordings: new files that grow at a rate, as recordings do."""

from pathlib import Path

# A page-cache writer gives its data to the disk about once a second; otherwise nothing would reach it within a probe.
_FLUSH_SECONDS = 1.0


def words(
    folder: Path, number: int, bytes_per_second: float, block_bytes: int, file_bytes: int, direct: bool, reserved: bool
) -> list[str]:
    """One section for `number` recordings of up to `file_bytes` each; `reserved`: their space is, beforehand.

    The folder is made unless it is there.
    """
    folder.mkdir(exist_ok=True)
    blocks = max(1, round(_FLUSH_SECONDS * bytes_per_second / block_bytes))
    return [
        "--name=writer",
        "--rw=write",
        f"--numjobs={number}",
        f"--directory={folder}",
        "--filename_format=$jobnum",
        f"--size={file_bytes}",
        f"--rate={round(bytes_per_second)}",
        *(["--fallocate=posix"] if reserved else ["--fallocate=none", "--create_on_open=1"]),
        *([] if direct else [f"--fdatasync={blocks}"]),
        "--refill_buffers",
        "--unlink=1",
    ]
