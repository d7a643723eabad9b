/** Rules for mails that every program can read, over the parsed parts. Returns the violations. */
import { Parser } from 'htmlparser2';
import type { Email } from 'postal-mime';

type Attributes = Record<string, string>;
type Element = { name: string; attributes: Attributes; style: string };
type Seen = { elements: Element[]; sheets: string[]; shown: string };

const VOID = new Set(['meta', 'img', 'br']);
const KNOWN = new Set('html head meta title style body div table tr td p h1 h2 a br img span'.split(' '));
const STYLED = new Set('body td p h1 h2 a img span div'.split(' '));
const WIDEST = 600;
const NARROWEST = 320;
const HEADERS = ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'];

/** Each returns the fault of an element, if any. */
const RULES: ((element: Element) => string | false)[] = [
  ({ name }) => !KNOWN.has(name) && `<${name}>`,
  ({ name, attributes }) => Object.keys(attributes).some((key) => key.startsWith('on')) && `an event on <${name}>`,
  ({ name, style }) => STYLED.has(name) && style === '' && `<${name}> without style`,
  ({ style }) => /url\(|expression|position:|float:|flex|grid/.test(style) && `style ${style}`,
  ({ style }) =>
    [...style.matchAll(/(?:^|;)(?:min-)?width:(\d+)px/g)].some(([, px]) => Number(px) > NARROWEST) && style,
  ({ attributes: { width = '' } }) => /^\d+$/.test(width) && Number(width) > WIDEST && `width ${width}`,
  ({ name, attributes: { href = '' } }) => name === 'a' && !/^https?:\/\//.test(href) && `link ${href}`,
  ({ name, attributes: { alt } }) => name === 'img' && !alt && 'img without alt',
  ({ name, style }) => name === 'img' && !/max-width:\d+px/.test(style) && 'img without max-width',
  ({ name, attributes: { src = '' } }) => name === 'img' && !src.startsWith('cid:') && `img from ${src}`,
];

export function faultsIn(mail: Email | undefined): string[] {
  if (!mail) return ['no mail'];
  const { html = '', text = '', attachments, headers } = mail;
  const { elements, sheets, shown } = seenIn(html);
  const links = elements.map(({ attributes: { href = '' } }) => href).join(' ');
  const inline = attachments.map(({ contentId = '' }) => `cid:${contentId.replace(/^<|>$/g, '')}`);
  const pictures = elements.filter(({ name }) => name === 'img').map(({ attributes: { src = '' } }) => src);
  const compared =
    html === '' ? [] : [...missing('the text', shown, text + links), ...missing('the HTML', text, shown + links)];
  return [
    ...elements.flatMap((element) => RULES.map((rule) => rule(element)).filter((fault) => fault !== false)),
    ...sheets.filter((sheet) => /url\(|@import/.test(sheet)).map(() => 'a style sheet that loads'),
    ...compared,
    ...pictures.filter((cid) => !inline.includes(cid)).map((cid) => `${cid} is not there`),
    ...inline.filter((cid) => !pictures.includes(cid)).map((cid) => `${cid} is not shown`),
    ...HEADERS.filter((name) => headers.filter(({ key }) => key === name).length !== 1).map(
      (name) => `${name} not once`,
    ),
  ];
}

/** The visible text, with alternative texts in place of pictures. */
function seenIn(html: string): Seen {
  const seen: Seen = { elements: [], sheets: [], shown: '' };
  const open: string[] = [];
  const isUnread = () => open.some((name) => ['head', 'hidden'].includes(name));
  const parser = new Parser({
    onopentag(name, attributes) {
      const style = attributes.style ?? '';
      seen.elements.push({ name, attributes, style });
      seen.shown += name === 'img' ? (attributes.alt ?? '') : ' ';
      if (!VOID.has(name)) open.push(style.includes('display:none') ? 'hidden' : name);
    },
    onclosetag(name) {
      if (!VOID.has(name)) open.pop();
      seen.shown += ' ';
    },
    ontext(words) {
      if (open.at(-1) === 'style') seen.sheets.push(words);
      if (!isUnread()) seen.shown += words;
    },
  });
  parser.end(html);
  return seen;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Mail programs show the preheader in lists; the text part contains it too. */
function missing(where: string, words: string, there: string): string[] {
  const known = new Set(wordsOf(there));
  return [...new Set(wordsOf(words))]
    .filter((word) => !known.has(word))
    .map((word) => `${word} is missing in ${where}`);
}
