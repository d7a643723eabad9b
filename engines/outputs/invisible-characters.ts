/** Control characters, direction overrides and lone surrogates, which no output may contain. */

/** Control characters except white space, direction overrides and lone surrogates. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Bidi_Control}\ufffe\uffff]/gu;

export const withoutInvisible = (text: string): string => text.toWellFormed().replaceAll(INVISIBLE, ' ');
