"""Files that no map can be, sent to the lobby: a sentence each, and nothing is changed."""

from __future__ import annotations

import io

from service.settings import Settings
from tests.adversary.test_data_files import MAP, NASTY, with_put
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of


def test_the_lobby_answers_every_such_file_with_a_sentence(anna: Visitor, settings: Settings) -> None:
    form: dict[str, object] = {"name": "Ground", "game": "mastery", "seats": "2", "access": "open"}
    path = str(anna.post("/games/new", form, follow=False).location)
    before = match_of(settings, path)[0].options
    files = [with_put(MAP, path, nasty).encode() for nasty in NASTY for path in ((), ("slots",), ("slots", 0, "q"))]
    files += [b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf{", b"\x00", b"[" * 190_000, b'{"slots":[' + b"1," * 90_000 + b"1]}"]
    for raw in files:
        base: dict[str, object] = {"option": "play", "f_seating": "fixed"}
        found = anna.post(path + "/options", {**base, "file": (io.BytesIO(raw), "map.json")})
        assert found.status_code == 422, (found.status_code, raw[:80])
        assert 'role="alert"' in found.text
        text = raw.decode("utf-8", "replace")
        if len(text) < 20_000:
            assert anna.post(path + "/options", {**base, "file_text": text}).status_code in (400, 422)
    assert match_of(settings, path)[0].options == before
    print(f"{len(files)} files sent")
