// What other programs say of themselves: names, reasons, labels.

// The programs in Swift have the same rule.
const QUOTATION_MARKS = /["`\u00B4\u00AB\u00BB\u2018-\u201F\u2039\u203A\u275B-\u275F\u276E\u276F\u300C-\u300F\u301D-\u301F\uFE41-\uFE44\uFF02\uFF07]/g;
const BLANK_LETTERS = /[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFFA0]/g;
const BLANKS = /\p{White_Space}+/gu;

/** A claim so that it can neither end its quotation nor push aside what stands beside it. */
export function claim(words) {
    return words.replace(QUOTATION_MARKS, "'").replace(BLANK_LETTERS, "\uFFFD").replace(BLANKS, " ").replace(/^ | $/g, "");
}
