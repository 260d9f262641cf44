"""The charts of Snakemake's report: the share card, the first comparison of each family, and the charts of overviews."""

import json

from spindlemark.site import report_charts

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path stroke="var(--ink)"/></svg>'


def page(family, title, **more):
    return {"family": family, "title": title, "measured": True, "svg": SVG, **more}


def test_each_family_has_its_first_comparison_and_its_overview(tmp_path):
    pages, output = tmp_path / "pages", tmp_path / "charts"
    for folder in (pages / "data", pages / "static", output):
        folder.mkdir(parents=True)
    (pages / "static/card.png").write_bytes(b"PNG")
    compared = [page("aging", "Streams"), page("aging", "Pieces", svg=""), page("bonnie", "Seeks", svg="")]
    shown = [{"title": "Quality by bit rate", "svg": SVG}, {"title": "A matrix"}]
    (pages / "data/explore.json").write_text(json.dumps({"metrics": compared, "presets": []}))
    (pages / "data/groups.json").write_text(json.dumps([{"family": "codec_quality", "pictures": shown}]))
    report_charts.write(pages, output)
    files = {str(path.relative_to(output)): path for path in output.rglob("*.*")}
    assert files.keys() == {"all/recommendation.png", "aging/Streams.svg", "codec_quality/Quality-by-bit-rate.svg"}
    assert "var(" not in files["aging/Streams.svg"].read_text()
