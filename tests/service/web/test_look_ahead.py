"""Looking ahead without scripts says in words the numbers that are drawn on the board where scripts run."""

from __future__ import annotations

import re

from sqlmodel import select

from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account
from tests.service.web.conftest import Visitor
from tests.tables import laid, lay


def test_looking_ahead_at_an_attack_says_the_numbers_of_its_ribbon(anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, laid("ortus", 6, "middle"))
    page = anna.page(path)
    drawn = page.partition('data-plan="attack"')[2].partition("/>")[0]
    worth, meets = (
        {k: int(n) for k, n in (pair.rsplit("=", 1) for pair in re.findall(rf'data-{name}="([^"]*)"', drawn)[0].split())}
        for name in ("worth", "meets")
    )
    form = next(f for f in page.split("<form ") if 'name="option" value="attack"' in f).partition("</form>")[0]
    lords = [code for code in re.findall(r'name="f_lords__([^"]+)"', form) if worth.get(code)]
    targets = [t for t in re.findall(r'value="((?:raid|siege):[^"]+)"', form) if t in meets][:3]
    assert lords and targets
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    for target in targets:
        asked = anna.post(path.replace("/table", "/preview"), {**hidden, "f_target": target, f"f_lords__{lords[0]}": "1"}).text
        said = asked.partition('id="confirm"')[2].partition("</section>")[0]
        points = worth[lords[0]]
        sent = f"You send {points} point{'s' if points != 1 else ''}"
        siege = r", and (?:only )?(\d+)(?: past (\d+) Towers?)? bring it down"
        numbers = re.search(rf"{sent}(?:{siege}| against (\d+) Towers?)?\.", said)
        assert numbers, said
        assert sum(int(n or 0) for n in numbers.groups()) == meets[target]
