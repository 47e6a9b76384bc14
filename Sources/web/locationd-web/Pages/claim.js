// What other programs say of themselves: names, reasons, labels.

// The rule of `sanitizedAsClaim` in Swift, which the daemon applies, too; one of an earlier version does not.
const QUOTATION_MARKS = /[\p{Quotation_Mark}`\u00B4\u02BA\u02DD\u2032-\u2037\u275B-\u2760\u276E\u276F]/gu;
const BLANK_LETTERS = /(?![\u200C\u200D\uFE00-\uFE0F\u{E0100}-\u{E01EF}])[\u2800\p{Default_Ignorable_Code_Point}]/gu;
const BLANKS = /\p{White_Space}+/gu;

/** A claim so that it can neither end its quotation nor push aside what stands beside it. */
export function claim(words) {
    return words.replace(QUOTATION_MARKS, "'").replace(BLANK_LETTERS, "\uFFFD").replace(BLANKS, " ").replace(/^ | $/g, "");
}
