"""What stores a sequence in each of the ways, as shell lines."""

from collections.abc import Mapping

from spindlemark.families.frame_storage.layouts import DATASET, PLUGINS, STORES

RECIPES = {  # what stores the DPX files of a folder so
    "raw": ["# One file for each frame: its samples, row by row."],
    "dpx": ["# One DPX file for each frame: 16-bit words, big endian, without packing."],
    "exr": ['for f in *.dpx; do oiiotool "$f" -d half --compression piz -o "${f%.dpx}.exr"; done'],
    "tar": ["tar --format=ustar -cf frames.tar *.dpx"],
    "ffv1": [  # FFmpeg writes heads of its own, so those of the files go with the film
        'for f in frame-*.dpx; do head -c 2048 "$f"; done > heads.bin',
        "ffmpeg -framerate 24 -start_number 0 -i frame-%06d.dpx -c:v ffv1 -level 3 -g 1 -slices 16 -slicecrc 1"
        " -attach heads.bin -metadata:s:t mimetype=application/octet-stream frames.mkv",
        "# Back, into a folder of its own, where each sample has a byte or two (RAWcooked does so for all kinds of DPX):",
        "mkdir back && ffmpeg -dump_attachment:t:0 back/heads.bin -i frames.mkv -c:v rawvideo -pix_fmt SAMPLES -f image2"
        " -start_number 0 back/frame-%06d.raw",
        "n=0; for f in back/frame-*.raw; do tail -c +$((2048 * n + 1)) back/heads.bin | head -c 2048 |"
        ' cat - "$f" > "${f%.raw}.dpx"; rm "$f"; n=$((n + 1)); done',
        "# Before a file is deleted: this prints nothing if all came back to the byte.",
        'for f in frame-*.dpx; do cmp "$f" "back/$f" || break; done',
    ],
    "zarr": [
        "# Python: zarr.create_array('frames.zarr', shape=(FRAMES, HEIGHT, WIDTH, 3), chunks=(1, HEIGHT, WIDTH, 3),",
        "#   shards=(24, HEIGHT, WIDTH, 3), dtype='uint16', compressors=BloscCodec(cname='lz4', clevel=5, shuffle='bitshuffle'))",
    ],
}


def recipe(settings: Mapping[str, str]) -> list[str]:
    """What stores a sequence so: the words of h5py, or of h5repack."""
    store = STORES.get(settings.get("store.name", ""))
    if store is None:
        return []
    if store.kind != "hdf5":
        samples = "rgb24" if settings.get("format.bits") == "8" else "rgb48be"
        return [line.replace("SAMPLES", samples) for line in RECIPES[store.kind]]
    shape = (int(settings["format.height"]), int(settings["format.width"]), 3)
    if settings.get("writer") == "h5repack":
        return [f"HDF5_PLUGIN_PATH={PLUGINS} h5repack {' '.join(store.repacking(shape))} INPUT.h5 OUTPUT.h5"]
    words = {"chunks": store.chunk(shape), **store.python}
    options = ", ".join(f"{name}={value!r}" for name, value in words.items()).replace(
        "'", '"'
    )  # the shell's quotes enclose it
    kind = "u1" if settings["format.bits"] == "8" else "u2"
    return [
        "# The empty file, in which frame n is then file['frames'][n]; FRAMES is how many there are.",
        f"""python3 -c 'import h5py, hdf5plugin; h5py.File("OUTPUT.h5", "w").create_dataset("{DATASET}", """
        f"""(FRAMES, {", ".join(map(str, shape))}), "{kind}", {options})'""",
    ]
