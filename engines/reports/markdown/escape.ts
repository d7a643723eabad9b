/** Text for GitHub flavoured Markdown: it shows the letters it is made of, and nothing in it formats, links or loads. */

const SIGNS = /[\\`*_[\]|~$^]/g;
/** What would begin a heading, a list, a quote or a rule if it stood first. */
const FIRST = /^(\s*)([#+=:-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** No letter and no space: it only parts what a renderer would take for an address. */
const JOINER = '\u2060';

/** Text that others may stand beside; the whole line is still to be finished. */
export const escapeInline = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(SIGNS, '\\$&');

/** A line of escaped texts, which together could still be what none of them is. */
export const finishLine = (line: string): string =>
  line
    .replaceAll(/:(?=\/)/g, `:${JOINER}`)
    .replaceAll(/www(?=\.)/gi, `$&${JOINER}`)
    .replaceAll(/@/g, `${JOINER}@`)
    .replaceAll(/(mailto|xmpp):/gi, `$1${JOINER}:`)
    .replace(FIRST, (_, space: string, sign: string) => (/\d/.test(sign) ? `${space}${sign}\\` : `${space}\\${sign}`));

export const escapeText = (text: string): string => finishLine(escapeInline(text));

/** A judged address, so that no sign of it ends the link. */
export const linkTarget = (address: string): string =>
  `<${address.replaceAll(/[<>\\\s|]/g, (sign) => encodeURIComponent(sign))}>`;
