"""Which findings may be."""

import re

import pytest

ID = re.compile(r"CG\d{3}")


def everywhere(config):
    """The ids that all tests allow: by `--cgsan-allow`, and by `cgsan_allow` in the configuration."""
    # Before conftest files are loaded, what was parsed so far.
    options = getattr(config, "known_args_namespace", config.option)
    given = re.split(r"[,\s]+", options.cgsan_allow.strip())
    return _checked([*filter(None, given), *config.getini("cgsan_allow")], "cgsan_allow")


def by_markers(item):
    """The ids that the markers of a test allow."""
    ids = []
    for marker in item.iter_markers("cgsan"):
        unknown = set(marker.kwargs) - {"allow"}
        if marker.args or unknown:
            raise pytest.UsageError(
                f'{item.nodeid}: write the marker as `@pytest.mark.cgsan(allow=["CG119"])`'
            )
        allow = marker.kwargs.get("allow", ())
        ids += [allow] if isinstance(allow, str) else allow
    return _checked(ids, item.nodeid)


def _checked(ids, where):
    for it in ids:
        if not ID.fullmatch(it):
            raise pytest.UsageError(f"{where}: `{it}` is not the id of a finding, such as CG119")
    return frozenset(ids)
