"""What the queries behind findings count as one workload, one subject and one set of conditions."""

import factory
import pytest
from factory_families import configured
from spindlemark.errors import UserError
from spindlemark.findings.samples import read

RECORD = factory.record(factory.experiment())
LACKING = [m for m in RECORD.measurements if m.metric != "copy_seconds"]


@pytest.fixture
def groups(built, tmp_path):
    """Build a database of records and return its groups: slug -> subjects."""
    def build(records):
        built(records)
        return {group.group: [s.subject for s in group.subjects] for group in read(tmp_path / "x.duckdb")}
    return build


def test_the_workload_is_the_library_or_what_follows_the_configuration(store, built):
    query = built([store(), store(configured("file_creation", "ext4+m0@bfq", "one--direct")),
                   store(configured("aging", "ext4@bfq"))])
    assert query("select family, subject, library from record order by all") == [
        ("aging", "ext4@bfq", ""), ("file_creation", "ext4+m0@bfq", "one--direct"),
        ("filesystem_lifecycle", "ext4", "picture")]


def test_a_named_scheduler_is_compared_with_the_testbeds_own(store, groups):
    subjects = ["ext4", "ext4+m0@bfq", "ext4@kyber"]
    assert groups([store(configured("aging", s)) for s in subjects]) == {"loop--aging": subjects}


def test_subjects_under_another_default_scheduler_are_not_mixed(store, groups):
    changed = configured("aging", "xfs")
    changed = changed.model_copy(update={"factors": changed.factors | {"scheduler": "mq-deadline"}})
    found = groups([store(configured("aging", "ext4")), store(changed, 2), store(configured("aging", "btrfs@bfq"))])
    assert sorted(found.values()) == [["btrfs@bfq", "xfs"], ["ext4"]]  # the newest default is joined


def test_a_named_scheduler_alone_has_a_group(store, groups):
    assert groups([store(configured("aging", "ext4@bfq"))]) == {"loop--aging": ["ext4@bfq"]}


def test_factors_of_the_family_separate_groups_and_settings_do_not(store, groups):
    def at(subject, length):
        exp = configured("aging", subject)
        return exp.model_copy(update={"factors": exp.factors | {"recording": {"hours": length}}})
    found = groups([store(at("ext4", 1)), store(at("ext4+fallocate", 1)), store(at("xfs", 2))])
    assert sorted(found.values()) == [["ext4", "ext4+fallocate"], ["xfs"]]


def test_a_metric_that_a_record_says_is_absent_is_not_missing(store, built):
    explained = {"measurements": LACKING, "environment": {"absent.copy_seconds": "ended too soon"}}
    built([store(), store(repetition=2, **explained)])
    with pytest.raises(UserError, match="missing=check_seconds"):
        fewer = [m for m in LACKING if m.metric != "check_seconds"]
        built([store(), store(repetition=2, **explained | {"measurements": fewer})])


def test_a_filesystem_without_a_check_lacks_nothing(store, built):
    query = built([store(factory.experiment("nilfs2"), n) for n in (1, 2)] + [store()])
    assert query("select count(*) from measurement where metric = 'check_seconds'") == [(1,)]


def test_a_record_without_any_metric_is_refused_whatever_it_explains(store, built):
    with pytest.raises(UserError, match="missing_metric"):
        built([store(measurements=[], environment={"absent.copy_seconds": "ended too soon"})])
