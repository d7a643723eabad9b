/** Where evidence stands in the stored reading of a file. */

/** `from` and `to` are offsets in the text of the part; `page` is the number of its page, slide or sheet, if it has one. */
export type Place = { part: number; from: number; to: number; label: string; page?: number };

/**
 * How a quote was found: word for word; but for white space, capitals and marks; with words left out at an ellipsis; as cells
 * of a row; or but for letters that text recognition confuses. Whatever is shown afterwards is cut from the document.
 */
export type QuoteMatch = 'exact' | 'folded' | 'ellipsis' | 'cells' | 'recognized';

/** A stretch of the text of a part; `to` is exclusive. */
export type Stretch = { from: number; to: number };

export type LocatedQuote = Place & { match: QuoteMatch };

/** What stands around a quote and belongs to what it says: units, periods and names stand here as often as in the quote. */
export type Surroundings = {
  /** The lines that the quote touches, whole. */
  lines: string;
  /** The first heading or line of the document. */
  title?: string;
  /** The headings that the quote stands under, the outermost first. */
  headings: string[];
  /** The head of the table, and the rows above that head its rows, such as `in EUR thousand`. */
  head?: string;
  /** The lines right before and behind. */
  before?: string;
  after?: string;
};

/**
 * What the figures beside a quote say of a value: it stands there; something there can be read as it (in words, by its month,
 * rounded, scaled, converted); other figures stand there, none of which can; or there is none at all.
 */
export type FigureCheck = 'stands' | 'doubt' | 'contradicts' | 'none';
