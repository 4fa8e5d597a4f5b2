"""What axe complains of on a page in a browser."""

from typing import Any

ROWS = 12  # of each table, list and group of marks that axe looks at: further ones repeat their markup and style
FEWER_ROWS = """most => {
    for (const rows of document.querySelectorAll("tbody, ol, datalist, select, svg g")) {
        for (const row of [...rows.children].slice(most)) row.remove();
    }
}"""


def serious_findings(page: Any, scheme: str = "light", within: str | None = None) -> dict[str, str]:
    """Serious and critical findings by rule, with the first element; all else of long tables is taken off the page.

    In the dark only contrast is looked at: all other rules see the same page as in the light.
    """
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(FEWER_ROWS, ROWS)
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": ["color-contrast"]}
    found = Axe().run(page, context=within, options=options).response["violations"]
    return {one["id"]: one["nodes"][0]["html"][:300] for one in found if one["impact"] in {"serious", "critical"}}
