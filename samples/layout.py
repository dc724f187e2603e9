"""Where the parts of a sample lie: what lists, records and tests samples reads it here."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent
MOST_SESSION_BYTES = 1 << 20


class Sample:
    def __init__(self, folder):
        self.name, self.folder = folder.name, folder
        self.script = folder / (folder.name + ".py")
        self.session = folder / (folder.name + ".croton")  # as it was recorded
        self.readme, self.check = folder / "README.md", folder / "check.py"
        self.card = json.loads((folder / "card.json").read_text())
        self.flags = self.card.get("flags", "")
        self.launch = self.card.get("launch", "")  # what starts several processes of it, for the recorded session
        self.card_device = self.card.get("card", "")  # the device of a card whose times the recorded session has, where one is at hand

    def sessions(self):
        """The recorded session, and those of the other ranks of its job."""
        return [self.session] + sorted(self.folder.glob(self.name + ".*.croton"))

    def shortened(self):
        """The text of the script, with small numbers where they only make it run longer."""
        text = self.script.read_text()
        for long, short in self.card.get("shorter", []):
            assert long in text, "%s: there is no %r to shorten" % (self.script, long)
            text = text.replace(long, short)
        return text


def samples():
    return sorted((Sample(card.parent) for card in FOLDER.glob("*/card.json")), key=lambda sample: sample.card["order"])
