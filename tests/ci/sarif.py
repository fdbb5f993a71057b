"""Reads logs of SARIF with a model of the standard that others wrote, and says what it found in them."""

import sys

from sarif_pydantic import Sarif

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        log = Sarif.model_validate_json(file.read())
    for run in log.runs:
        known = {rule.id for rule in run.tool.driver.rules}
        for result in run.results:
            assert result.rule_id in known, f"{result.rule_id} has no rule"
            place = result.locations[0].physical_location
            print(
                result.rule_id,
                result.level.value,
                place.artifact_location.uri,
                place.region.start_line,
            )
