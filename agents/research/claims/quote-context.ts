/** What a quote stands in: its whole sentences, of a table row the column heads; whom `the company` means; its date. */
import { plainText, type QuoteUnit, readUnits, splitSentences } from '../../../engines/retrieval/passages.ts';
import { fold } from '../../../engines/retrieval/words.ts';
import { periodsIn } from './figures.ts';

const HEADING = /^\s{0,3}#{1,6}\s/;
const ROW = /^\s*\|/;

/** Letters, digits and signs of a text, for comparing texts that differ in marks and white space alone. */
export const bareText = (text: string): string => (fold(text).match(/[\p{L}\p{N}\p{Sc}%]+/gu) ?? []).join(' ');

/** A heading names a subject and says nothing of it: it can be no quote. */
export const withoutHeadings = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !HEADING.test(line))
    .join('\n');

/** Statements are compared with all of it, so a document must not make a sentence of its whole text. */
const MAX_CONTEXT = 4_000;

type QuoteContext = (quote: string) => string;

type Unit = { text: string; head: string | undefined };

/** Made once for all quotes of a document. */
export function quoteContext(text: string): QuoteContext {
  const units = unitsOf(text);
  const starts: number[] = [];
  let joined = ' ';
  for (const unit of units) {
    starts.push(joined.length);
    joined += `${bareText(unit.text)} `.trimStart();
  }
  return (quote) => {
    const wanted = bareText(quote);
    const at = joined.indexOf(` ${wanted} `) + 1;
    if (at === 0 || wanted === '') return quote;
    const from = starts.findLastIndex((start) => start <= at);
    const to = starts.findLastIndex((start) => start < at + wanted.length);
    const own = units.slice(from, to + 1).flatMap(({ head, text }) => (head === undefined ? [text] : [head, text]));
    const context = [...new Set(own)].join('\n');
    return context.length <= MAX_CONTEXT ? context : quote;
  };
}

function unitsOf(text: string): Unit[] {
  const lines = text.split('\n');
  let head = '';
  return lines.flatMap((line, at): Unit[] => {
    if (HEADING.test(line)) return [];
    if (!ROW.test(line)) return splitSentences(plainText(line), 'en').map((one) => ({ text: one, head: undefined }));
    if (!ROW.test(lines[at - 1] ?? '')) head = line;
    return [{ text: line, head }];
  });
}

const MAX_LINE = 60;
const COLUMN_GAP = /\S[^\S\n]{2,}\S|\S\t+\S/;
const SENTENCE_END = /[.!?…]["”’)]?$/;
const MOST = 0.7;

/** Addresses, labels and figures in columns: short lines with a capital or digit first that end no sentence. */
function isLaidOut(raw: string): boolean {
  const lines = linesOf(raw);
  if (lines.filter((line) => COLUMN_GAP.test(line) && !SENTENCE_END.test(line)).length > 1) return true;
  const isShort = (line: string) => line.length <= MAX_LINE && !SENTENCE_END.test(line);
  const begins = lines.filter((line) => /^[\p{Lu}\p{Lt}\p{Lo}\d(+]/u.test(line));
  return lines.length > 1 && lines.every(isShort) && begins.length >= MOST * lines.length;
}

const linesOf = (raw: string): string[] =>
  raw
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type QuotedDocument = { title: string; text: string; published_at: string | null };

/** Words that stand for a name, in five languages, where a sentence begins. */
const GENERIC =
  /^["“„«'(]*((?:the (?:company|group|firm|corporation|business)|(?:das|unser) unternehmen|die (?:gesellschaft|gruppe|firma)|der konzern|la (?:société|compagnie|empresa|compañía|sociedad|società|compagnia)|l['’](?:entreprise|azienda|impresa)|le groupe|el grupo|il gruppo|it|they|he|she|er|sie|es|elle|elles|ils?)(?![\p{L}\p{N}'’]))/iu;
/** Pronouns of some languages are articles of others or stand for nothing, as in `it is known` or `il y a`. */
const EMPTY =
  /^["“„«'(]*(?:it (?:is|was|has been|will be) (?:\p{L}+ )?(?:that|to)|es (?:gibt|gab|ist|war)|il (?:y a|faut|est)|il (?:\p{L}+[oaei]) )/iu;

const LEGAL_FORM =
  'plc|PLC|Ltd|Limited|LLC|LLP|Inc|Corp|GmbH(?: & Co\\.? KG)?|AG|SE|KG|OHG|e\\.V|e\\.K|SA|S\\.A|SAS|SARL|SpA|S\\.p\\.A|Srl|S\\.r\\.l|SL|S\\.L|A/S|ApS|AB|Oy|N\\.?V|B\\.?V';
const COMPANY = new RegExp(
  `(?:\\p{Lu}[\\p{L}\\p{N}&.'’-]*\\s+(?:(?:de|du|des|della|di|del|&)\\s+)?){1,5}(?:${LEGAL_FORM})(?![\\p{L}\\p{N}])`,
  'gu',
);
const MAX_NAME = 60;

/** `Halden Logistics: annual report 2025` and the like name their subject first. */
function subjectOfTitle(title: string): string | undefined {
  const [name = '', ...rest] = title.split(/\s*:\s+|\s+[–—|-]\s+/u);
  const plain = name.trim();
  const isName = rest.length > 0 && /^\p{Lu}/u.test(plain) && plain.length <= MAX_NAME && !/\d/.test(plain);
  return isName && plain.split(/\s+/).length > 1 ? plain : undefined;
}

/** The kind of a document before a name, as in `Informe anual de ...`. */
const KIND =
  /^(?:informe|memoria|cuentas|resultados|contrato|rapport|comptes?|résultats|contrat|relazione|bilancio|risultati|contratto)(?: \p{L}+)? (?:de|du|des|della|di|del) /iu;

const companiesIn = (text: string): string[] => [
  ...new Set((text.match(COMPANY) ?? []).map((name) => name.replace(KIND, ''))),
];

const isSentence = ({ block }: QuoteUnit, text: string): boolean =>
  (block.kind === 'prose' || block.kind === 'item') && !isLaidOut(text.slice(block.start, block.end));

/** Undefined if the document names no company before the quote, or several. */
function subjectIn({ title, text }: QuotedDocument, units: readonly QuoteUnit[], at: number): string | undefined {
  const before = units.slice(0, at).filter((unit) => unit.block.kind === 'heading' || isSentence(unit, text));
  const nearest = before.findLast((one) => companiesIn(one.text).length > 0);
  const inSentence = nearest ? companiesIn(nearest.text) : companiesIn(title);
  if (inSentence.length > 0) return inSentence.length === 1 ? inSentence[0] : undefined;
  const titles = [...before.filter(({ block }) => block.kind === 'heading').map((one) => one.text), title];
  return titles.map(subjectOfTitle).find((one) => one !== undefined);
}

const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/;
const DATE =
  /\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\.? (?:de )?\p{L}{3,10}\.? (?:de )?\d{4}|\p{L}{3,10} \d{1,2}, \d{4}/u;
const DATELINE = /^(?:[\p{L} .-]{2,40},? )?(?:(?:den|le|el|il|on) )?$/iu;
const DATE_LABEL = /^(?:(?:\p{L}+ )?(?:date|datum|stand|fecha|data|dato)|\p{L}*datum)(?: of \p{L}+)?: *$/iu;
const DEADLINE = /due|fällig|échéance|vencimiento|scadenza|expir|delivery|liefer/iu;

/** A line that says when the document was written: `Date: 9 October 2026`, `Ingolstadt, den 12. April 2024`. */
function datelineIn(text: string): string | undefined {
  for (const line of text.split('\n').map((line) => line.trim())) {
    const date = line.length > MAX_NAME ? null : DATE.exec(line);
    if (!date || line.length > date.index + date[0].length + 1) continue;
    const before = line.slice(0, date.index);
    if (DATE_LABEL.test(before) ? !DEADLINE.test(before) : DATELINE.test(before)) return date[0];
  }
  return undefined;
}

/** The date of a document: that of its source, of a line of its own, or the year in a title. */
function dateOf({ published_at: at, title, text }: QuotedDocument, units: readonly QuoteUnit[]): string | undefined {
  if (at !== null) return at.slice(0, 10);
  const [heading] = units.filter(({ block }) => block.kind === 'heading');
  return datelineIn(text) ?? YEAR.exec(heading?.text ?? '')?.[0] ?? YEAR.exec(title)?.[0];
}

/** `text` is the quote with its subject in brackets, `dated` the date of its document if it names no year itself. */
type QuoteInContext = { text: string; dated?: string };

/** Made once for all quotes of a document. */
export function quoteSubjects(document: QuotedDocument): (quote: string) => QuoteInContext {
  const { text } = document;
  const units = readUnits(0, [{ source: '', place: '', text: text.normalize('NFC') }], 'en');
  const bare = units.map((unit) => bareText(unit.text));
  const date = dateOf(document, units);
  return (quote) => {
    const wanted = bareText(quote);
    const at = bare.findIndex((one) => one !== '' && wanted.startsWith(one));
    const generic = EMPTY.test(quote) ? undefined : GENERIC.exec(quote)?.[0];
    const subject = generic && subjectIn(document, units, Math.max(0, at));
    const named = generic && subject ? `${generic} [${subject}]${quote.slice(generic.length)}` : quote;
    const isDated = YEAR.test(quote) || [...periodsIn(quote)].some((period) => /\d{4}/.test(period));
    return { text: named, ...(isDated || date === undefined ? {} : { dated: date }) };
  };
}
