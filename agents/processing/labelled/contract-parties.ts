/** The parties to a contract with their roles: from its first sentence, from definitions, and from the signatures. */

import { LEGAL_FORMS } from '../legal-forms.ts';
import { type Candidate, candidateAt, type Line, type Paper } from './lines.ts';

const MORE_FORMS =
  'Company|Co\\.|L\\.?P\\.?|P\\.?L\\.?C\\.?|Sdn\\.? Bhd\\.?|Pte\\.? Ltd\\.?|Pvt\\.? Ltd\\.?|N\\.A\\.|(?<=, )(?:inc|llc|ltd|corp)\\b\\.?';
const FORM = `(?:${MORE_FORMS}|${LEGAL_FORMS}|${LEGAL_FORMS.replaceAll(/\\[a-z]|[\p{L}]/giu, (letter) => (letter.startsWith('\\') ? letter : letter.toUpperCase()))})`;
const WORD =
  "(?:\\p{Lu}[\\p{L}\\d'’.&-]{0,30}|[a-z]{1,3}\\p{Lu}[\\p{L}\\d'’.-]{0,30}|\\d{1,3}(?= \\p{Lu})|\\d{4,10}(?= (?:[A-Z]\\.[A-Z]\\.|\\p{Lu}\\p{Ll}+) (?:Ltd|Inc|Limited|Corp)))";
const JOINT = '(?:&|of|de|la|le|van|von|der|für|et|und|y|the|e) ';
const NAME = `${WORD}(?: (?:${JOINT})?${WORD}){0,7}?(?:,? ${FORM})+(?![\\p{L}\\d])|${WORD}(?: (?:${JOINT})?${WORD}){1,5}(?![\\p{L}\\d])|${WORD}(?= ?[,(])`;
/** Anchored at the beginning of what is left of the sentence. */
const AT_START = new RegExp(
  `^[\\s,;:“”"'*-]*(?:(?i:by|and|between|among|und|zwischen|et|entre|y|e|tra|en|tussen|der|the|undersigned|individual|Firma|la société)[\\s,:-]+){0,4}(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau|M|Mme|Sr|Sra)\\.? )?(?<name>${NAME})`,
  'u',
);
const BEHIND_AND = new RegExp(
  `(?:[,;)\\s](?:and|und|et|y|e|en)|[;])[\\s,:*]+(?:(?:between|the undersigned|undersigned),? )?(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau)\\.? )?(?<name>${NAME})(?=\\*{0,2} ?(?:[,;(]|\\.? ?$|, ?an? |with|whose|located|\\())`,
  'gu',
);
/** A name in a list or behind `AND:`, which must have a legal form. */
const BEHIND_COMMA = new RegExp(
  `(?<=, |(?:AND|And|UND|Und) ?: ?)(?<name>${WORD}(?: (?:${JOINT})?${WORD}){0,6}?(?:,? ${FORM})+)(?![\\p{L}\\d])`,
  'gu',
);
const BETWEEN =
  /^parties ?:?$|(?<![\p{L}])(?:by and (?:between|among)|between|among|zwischen|entre|tra|tussen)(?![\p{L}])/giu;
const MAX_SENTENCE = 2_000;
const FIRST_LINES = 40;

/** Words that begin like a name, and are part of the text. */
const NO_NAME =
  /^(?:This|The|These|Such|Each|Both|Whereas|Agreement|Contract|Party|Parties|Company|Employee|Recipient|Effective|Dated .*|State|Section|Exhibit|Article|In|As|If|It|We|You|I|Any|All|Whose|Its|January|February|March|April|May|June|July|August|September|October|November|December|United States|New York|[A-Z]{2}|Disclosing Party|Receiving Party|Confidential\p{L}*|Discloser|President|Chief|Vice|Director|Attention|Ladies|Gentlemen|Dear|Re|Title|Name|Date|By|Board|Affiliates?|Subsidiar\p{L}*|Act|Agreement.*|Delaware|California|LOGO|RECITALS|WITNESSETH)$|(?:Agreement|Vertrag|Contract|Act|Street|Avenue|Road|Suite|Floor|Date|Information|Material|Transaction)$/iu;

/** What a text in round brackets calls the party: `(the “Company”)`. */
const ROLE =
  /[“"'„«](?:the |der |die |das |le |la |el |il )?(?<role>[^“”"'„«»]{2,40})[”"'“»]|^\((?<capitals>\p{Lu}{3,20})\)|hereinafter (?:referred to as |called )?(?:the )?(?<plain>[\p{L}& ]{2,30})/iu;

type Found = { name: string; start: number; role: string | undefined; form: boolean };

const HAS_FORM = new RegExp(`(?:^|[ ,])${FORM}$`, 'u');
const plain = (name: string): string =>
  name
    .replaceAll(/\s+/g, ' ')
    .replace(/ Print.*$|[,;]$/, '')
    .replace(/(?<!\b(?:Inc|Ltd|Corp|Co|S|A|N|V|P|C|L|B))\.$/u, '')
    .trim();

/** Reads the names of a sentence that begins behind `between`: brackets divide it, and hold the roles. */
function namesIn(sentence: string): Found[] {
  const found: Found[] = [];
  let from = 0;
  for (const [chunk, bracket] of chunksOf(sentence)) {
    const names = [AT_START.exec(chunk), ...chunk.matchAll(BEHIND_AND), ...chunk.matchAll(BEHIND_COMMA)].flatMap(
      (one): Found[] => {
        const name = plain(one?.groups?.name ?? '');
        if (!one || name.length < 2 || NO_NAME.test(name)) return [];
        const start = from + one.index + one[0].indexOf(one.groups?.name ?? '');
        return [{ name, start, role: undefined, form: HAS_FORM.test(name) }];
      },
    );
    const role = ROLE.exec(bracket)?.groups;
    const last = names.find(({ start }) => start === Math.max(...names.map((one) => one.start)));
    if (last && role) last.role = (role.role ?? role.capitals ?? role.plain)?.replace(/,$/, '').trim();
    found.push(
      ...names.filter(({ name, role: own, form }) => form || own !== undefined || /\p{L}+[ ]\S*\p{L}+/u.test(name)),
    );
    from += chunk.length + bracket.length;
  }
  return found.filter((one, at) => found.findIndex(({ name }) => name === one.name) === at);
}

/** `Helga Brandt, Seestraße 12 – Vermieterin –`; brackets with quotes take the same number of characters. */
const BETWEEN_DASHES = /[-–] (?<role>\p{Lu}\p{L}{3,25}) [-–]/gu;

/** The text between brackets, each with the brackets that follow it. */
function chunksOf(sentence: string): [chunk: string, bracket: string][] {
  return Array.from(
    sentence.matchAll(/([^()]*)(\((?:[^()]|\([^()]*\))*\))?/g),
    ([, chunk = '', bracket = '']): [string, string] => [chunk, bracket],
  ).filter(([chunk, bracket]) => chunk !== '' || bracket !== '');
}

/** The sentence ends at a point that is not part of an abbreviation, or where the reasons begin. */
const END =
  /(?<!\b(?:Inc|Ltd|Corp|Co|St|No|Mr|Mrs|Ms|Dr|L\.P|S\.A|N\.V|B\.V|p|a|[A-Z]))\.(?=\s+\p{Lu}|\s*$)|WHEREAS|WITNESSETH|RECITALS|in consideration of|(?:under|on) the following terms|(?:sets? forth|shall govern|has requested|with reference to|agree as follows)/u;

/** What a party is called stands behind its address, in which a point ends no sentence. */
const CALLED = /\([^()]{0,80}?[“"'„][^()“”"]{2,60}[”"'“][^()]{0,40}\)/gu;
const MAX_ADDRESS = 300;

function endOfSentence(rest: string): number {
  let from = 0;
  for (const called of Array.from(rest.matchAll(CALLED)).slice(0, 2)) {
    const between = rest.slice(from, called.index);
    if (between.length > MAX_ADDRESS || /WHEREAS|WITNESSETH|RECITALS/.test(between)) break;
    from = called.index + called[0].length;
  }
  return from + (END.exec(rest.slice(from))?.index ?? rest.length - from);
}

/** The first sentence that names two parties, or else the first that names one. */
function fromSentence({ lines }: Paper): Candidate[] {
  const all = lines.slice(0, FIRST_LINES).flatMap((line, at) => partiesIn(line, lines.slice(at + 1, at + 5)));
  return all.find(({ length }) => length > 1) ?? all[0] ?? [];
}

const partiesIn = (line: Line, following: readonly Line[]): Candidate[][] =>
  Array.from(line.text.slice(0, MAX_SENTENCE * 2).matchAll(BETWEEN)).flatMap((found): Candidate[][] => {
    const from = found.index + found[0].length;
    const next = line.text.length - from < 300 ? following.filter(({ part }) => part === line.part) : [];
    const whole = [line, ...next].map(({ text }) => text).join('\n');
    const rest = whole.slice(from, from + MAX_SENTENCE);
    const sentence = rest.slice(0, endOfSentence(rest)).replaceAll(BETWEEN_DASHES, '("$<role>")');
    const names = namesIn(sentence);
    const isOne = names.length === 1 && (/undersigned|individual|you/i.test(sentence) || Boolean(names[0]?.role));
    if (names.length < 2 && !isOne) return [];
    const known = { score: 3, reason: `behind "${found[0]}"` };
    return [names.flatMap((one) => locate({ line, from, whole, next }, one, known))];
  });

type Where = { line: Line; from: number; whole: string; next: readonly Line[] };

/** Lines after the first one were joined; the position tells in which of them the name begins. */
function locate(
  { line, from, next }: Where,
  { name, start, role }: Found,
  known: { score: number; reason: string },
): Candidate[] {
  let offset = from + start;
  for (const one of [line, ...next]) {
    if (offset < one.text.length) {
      const match = {
        start: offset,
        end: Math.min(one.text.length, offset + name.length),
        value: name,
        more: { role: role ?? null },
      };
      return [candidateAt(one, match, known)];
    }
    offset -= one.text.length + 1;
  }
  return [];
}

const ROLES =
  'Company|Seller|Buyer|Purchaser|Recipient|Discloser|Disclosing Party|Receiving Party|Employee|Executive|Employer|Consultant|Contractor|Provider|Client|Customer|Licensor|Licensee|Landlord|Tenant|Lessor|Lessee|Supplier|Distributor|Director|Potential Acquirer|you|we|us|Corporation|Second Party|Furnishing Party|Undersigned';
const DEFINED = new RegExp(
  `(?<![\\p{L}\\d])(?<name>${WORD}(?: (?:${JOINT})?${WORD}){0,6}?(?:,? ${FORM})+)(?<between>(?:,| and/?| or)[^()“”]{0,160}?)? ?\\([^()]{0,60}?[“"](?:the )?(?<role>${ROLES})(?:[”"]|,)`,
  'gu',
);
const MAX_DEFINED_LINES = 40;

/** `Party A: ...`, and roles with a colon. */
const LABELLED = new RegExp(
  `(?:^|[^\\p{L}\\d])(?<role>(?:Party|Partei|Partie|Parte) (?:A|B|C|[1-4]|One|Two|Three)|${ROLES})(?: ?\\([^()]{1,40}\\))? ?: ?(?<name>${WORD}(?: (?:${JOINT})?${WORD}){0,7}?(?:,? ${FORM})+)(?![\\p{L}\\d])`,
  'gu',
);

const fromLabels = ({ lines }: Paper): Candidate[] =>
  lines.slice(0, FIRST_LINES).flatMap((line) =>
    Array.from(line.text.slice(0, MAX_SENTENCE).matchAll(LABELLED), (found): Candidate => {
      const { name = '', role = '' } = found.groups ?? {};
      const end = found.index + found[0].length;
      const match = { start: end - name.length, end, value: plain(name), more: { role } };
      return candidateAt(line, match, { score: 2.6, reason: `behind "${role}:"` });
    }),
  );

const fromDefinitions = ({ lines }: Paper): Candidate[] =>
  lines.slice(0, MAX_DEFINED_LINES).flatMap((line, at) =>
    Array.from(`${line.text.slice(0, 6_000)}\n${lines[at + 1]?.text.slice(0, 60) ?? ''}`.matchAll(DEFINED)).flatMap(
      (found): Candidate[] => {
        const { name = '', role = '' } = found.groups ?? {};
        if (NO_NAME.test(name) || found.index + name.length > line.text.length) return [];
        const match = { start: found.index, end: found.index + name.length, value: plain(name), more: { role } };
        return [candidateAt(line, match, { score: 2.4, reason: `defined as "${role}"` })];
      },
    ),
  );

/** A name with a legal form before the line of its signature. */
const SIGNED = new RegExp(
  `(?<![\\p{L}\\d])(?<name>${WORD}(?: (?:${JOINT})?${WORD}){0,6}?(?:,? ${FORM})+)[\\s:|]{1,6}(?:By|Per|Name|BY|Signature)\\b ?[:/|]`,
  'gu',
);
/** A person who signs for themselves, not for a company. */
const PERSON = /(?<!By:? ?)\/s\/ ?(?<name>\p{Lu}[\p{L}'’.-]{0,20}(?: \p{Lu}[\p{L}'’.-]{0,20}){1,3})/giu;
const TITLE = /Title|President|Officer|Chief|Director|Chairman|Vice|Secretary|Partner|Its:|\bBy\b/i;

/** The last part of the document, with the last lines joined, since name and signature often stand on two. */
function fromSignatures({ lines }: Paper, isSought: boolean): Candidate[] {
  const half = Math.floor(lines.length / 2);
  return lines.slice(half).flatMap((line, at): Candidate[] => {
    const next = lines[half + at + 1];
    const joined = `${line.text.slice(-400)}\n${next?.text.slice(0, 60) ?? ''}`;
    const shift = Math.max(0, line.text.length - 400);
    const companies = Array.from(joined.matchAll(SIGNED)).flatMap((found): Candidate[] => {
      const name = found.groups?.name ?? '';
      if (shift + found.index + name.length > line.text.length || NO_NAME.test(name)) return [];
      const match = {
        start: shift + found.index,
        end: shift + found.index + name.length,
        value: plain(name),
        more: { role: null },
      };
      return [candidateAt(line, match, { score: 2.2, reason: 'before a signature' })];
    });
    if (!isSought) return companies;
    const around = lines
      .slice(half + at, half + at + 4)
      .map(({ text }) => text.slice(0, 200))
      .join(' ');
    const persons = Array.from(line.text.matchAll(PERSON)).flatMap((found): Candidate[] => {
      const name = (found.groups?.name ?? '').replace(/ (?:Print|Name|Date|Title).*$/, '');
      const before = `${lines[half + at - 1]?.text.slice(-30) ?? ''} ${line.text.slice(Math.max(0, found.index - 20), found.index)}`;
      if (TITLE.test(around.slice(around.indexOf(name), around.indexOf(name) + 140)) || /\bBy\b/.test(before))
        return [];
      const start = found.index + found[0].indexOf(name);
      return [
        candidateAt(
          line,
          { start, end: start + name.length, value: name, more: { role: null } },
          { score: 2, reason: 'a signature' },
        ),
      ];
    });
    return [...companies, ...persons];
  });
}

/** The same party is often written in capitals elsewhere, or without its form. */
const key = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/[^\p{L}\d]/gu, '')
    .replace(/(?:INC|LLC|LTD|CORP|CORPORATION|COMPANY|LIMITED|INCORPORATED)+$/, '');

/** All parties, each once: the first sentence alone if it names two of them, or labels that do. */
export function contractParties(paper: Paper): Candidate[] {
  const [sentence, labels] = [fromSentence(paper), fromLabels(paper)];
  const first = sentence.length > 1 ? sentence : labels.length > 1 ? labels : [...sentence, ...labels];
  const all = first.length > 1 ? first : [...first, ...fromDefinitions(paper), ...fromSignatures(paper, true)];
  const keys = new Set<string>();
  return all.filter(({ value }) => !keys.has(key(value)) && keys.add(key(value)));
}
