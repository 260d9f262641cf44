"""How charts and attachments read records in tests: the file of a row, below a folder."""

import json


def below(folder):
    """Read the record of a row, whose path is below `folder`."""
    return lambda row: json.loads((folder / row["path"]).read_bytes())


def keep(folder, row, attachments):
    """Write a record with these attachments; returns the row with its path."""
    row = row | {"path": f"{row['experiment']}/rep-{row['repetition']}.json"}
    file = folder / row["path"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"attachments": attachments}))
    return row
