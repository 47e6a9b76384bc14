"""The judge of `accuracyBasis`, by right words and planted wrong ones: `python3 -m unittest test_basis`."""

import unittest

import basis

#: A dilution, what gpsd makes of it without and with corrections, and a number that it does not make of it.
HDOP, PLAIN, CORRECTED, OTHER = 1.2, 22.8, 5.7, 3.1


def fixes(*accuracies, **members):
    """Fixes with these accuracies under one dilution; `members` are further ones of each TPV."""
    witness = basis.Witness()
    for _ in range(2):
        witness.sky({"hdop": HDOP, "vdop": 1.5})
    for accuracy in accuracies:
        witness.fix({**({} if accuracy is None else {"eph": accuracy}), **members})
        for _ in range(2):
            witness.sky({"hdop": HDOP, "vdop": 1.5})
    return witness.fixes


class TestBasis(unittest.TestCase):
    def judge(self, accuracies, words, states=False, **members):
        return basis.first_difference(fixes(*accuracies, **members), words, states)

    def accept(self, *arguments, **members):
        self.assertIsNone(self.judge(*arguments, **members))

    def refuse(self, words, *arguments, **members):
        self.assertIn(words, self.judge(*arguments, **members) or "nothing is wrong")

    def test_computed_accuracy_is_from_the_dilution(self):
        for accuracy, members in ((PLAIN, {}), (CORRECTED, {"status": 2})):
            self.accept([accuracy] * 3, ["fromDOP"] * 3, **members)
            self.refuse("fix 3", [accuracy] * 3, ["fromDOP", "fromDOP", "stated"], **members)
            self.refuse("does not say so", [accuracy] * 3, ["fromDOP", None, "fromDOP"], **members)

    def test_status_that_changed_within_the_epoch_leaves_the_daemon_the_choice(self):
        for word in ("fromDOP", None):
            self.accept([CORRECTED, PLAIN], ["fromDOP", word], status=2)
        self.refuse("fix 2", [CORRECTED, PLAIN], ["fromDOP", "stated"], status=2)

    def test_accuracy_of_an_earlier_dilution_is_computed(self):
        kept = fixes(PLAIN) + fixes(PLAIN)
        kept[1].before, kept[1].after = (HDOP + 1, HDOP + 1), HDOP + 1
        self.assertIsNone(basis.first_difference(kept, ["fromDOP", "fromDOP"], False))
        self.assertIn("fix 2", basis.first_difference(kept, ["fromDOP", "stated"], False))

    def test_accuracy_that_follows_from_components_is_computed(self):
        length = 3 / basis.COMPONENTS
        self.accept([3.0], ["fromDOP"], epx=length * 0.6, epy=length * 0.8)
        self.refuse("fix 1", [3.0], ["stated"], epx=length * 0.6, epy=length * 0.8)

    def test_known_statement_is_stated_in_the_end(self):
        self.accept([OTHER] * 5, [None, None, "stated", "stated", "stated"], True)
        self.refuse("never says so", [OTHER] * 5, [None] * 5, True)
        self.refuse("fix 3", [OTHER] * 5, [None, None, "fromDOP", "stated", "stated"], True)

    def test_unknown_statement_leaves_the_daemon_the_choice(self):
        self.assertTrue(basis.may_state_accuracy(fixes(OTHER, PLAIN), False))
        for words in (["stated", None], [None, None], [None, "fromDOP"]):
            self.accept([OTHER, PLAIN], words)
        self.refuse("fix 1", [OTHER, PLAIN], ["fromDOP", "fromDOP"])
        self.refuse("fix 2", [OTHER, PLAIN], ["stated", "stated"])

    def test_statement_that_is_reported_late_leaves_the_daemon_the_choice(self):
        for words in (["fromDOP", None, "stated"], ["fromDOP", "fromDOP", None]):
            self.accept([PLAIN, PLAIN, OTHER], words, None)
        self.refuse("fix 2", [PLAIN, PLAIN, OTHER], ["fromDOP", "stated", "stated"], None)
        self.refuse("fix 3", [PLAIN, PLAIN, OTHER], ["fromDOP", "fromDOP", "fromDOP"], None)

    def test_no_accuracy_has_no_basis(self):
        self.accept([None], [None])
        self.refuse("of no accuracy", [None], ["stated"], True)

    def test_log_tells_what_its_receiver_states(self):
        self.assertIs(basis.states_accuracy(b"$PSRFEPE,1\r\n"), True)
        self.assertIsNone(basis.states_accuracy(b"$PGRME,15.0,M,45.0,M,25.0,M*22\r\n"))
        self.assertIs(basis.states_accuracy(b"# $PGRME, $PSRFEPE,\r\n$GPGGA,\r\n"), False)


if __name__ == "__main__":
    unittest.main()
