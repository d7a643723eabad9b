/** Renders the frozen web from its topics: addresses, HTML with furniture around the text, and PDFs. */

import { HOSTS, placeName } from './names.ts';
import { ABLATION_TOPICS, type Draft, TOPICS, type Topic } from './topics.ts';

export type FrozenPage = Draft & {
  /** The address that the search engine knows. */
  url: string;
  /** Where the page is in the end. */
  finalUrl: string;
  topic?: string;
};

const NOISE = [
  ['en', 'Garden diary of', 'The beans of this year are late, and the hens have found the hole in the fence.'],
  ['de', 'Vereinsblatt', 'Der Chor probt am Dienstag, und der Kuchen steht wie immer im Nebenraum.'],
  ['fr', 'Carnet de', 'Le marché se tient sous les platanes, et le boulanger ferme à midi.'],
  ['es', 'Cuaderno de', 'La fuente de la plaza vuelve a tener agua, y los niños corren alrededor.'],
  ['it', 'Diario di', 'La nebbia resta sui campi fino a mezzogiorno, e il treno passa piano.'],
] as const;

function noise(at: number): Draft {
  const [language, title, text] = NOISE[at % NOISE.length] ?? NOISE[0];
  return { title: `${title} ${placeName(400 + at)}`, language, lead: text, body: `${text} ${text}` };
}

function placed(draft: Draft, at: number, topic?: string): FrozenPage {
  const host = (step: number) => `https://${HOSTS[(at + step) % HOSTS.length]}`;
  const path = `/${draft.language}/${at}${draft.delivery === 'pdf' ? '.pdf' : ''}`;
  const folder = draft.delivery === 'robots' ? '/closed' : draft.delivery === 'redirected' ? '/old' : '';
  const url = `${host(0)}${folder}${path}`;
  const finalUrl = draft.delivery === 'redirected' ? `${host(7)}${path}` : url;
  return { ...draft, url, finalUrl, ...(topic ? { topic } : {}) };
}

const NOISE_PAGES = 30;

export const pagesOf = (topics: readonly Topic[]): FrozenPage[] =>
  [
    ...topics.flatMap(({ id, pages }) => pages.map((draft) => ({ draft, id }))),
    ...Array.from({ length: NOISE_PAGES }, (_, at) => ({ draft: noise(at), id: undefined })),
  ].map(({ draft, id }, at) => placed(draft, at, id));

/** Pages of one subject, among others. */
export const pagesOfDrafts = (pages: readonly Draft[]): FrozenPage[] =>
  pagesOf([{ id: 'drafts', kind: 'one', question: '', answers: [], pages: [...pages] }]);

export const PAGES: readonly FrozenPage[] = pagesOf(TOPICS);

/** A web of its own. */
export const ABLATION_PAGES: readonly FrozenPage[] = pagesOf(ABLATION_TOPICS);

const BETWEEN =
  'The editors thank all readers for their patience and for the many photographs that came with the letters.';

/** Long enough that the answer is not near the beginning. */
export const paragraphsOf = ({ lead, body, isLong }: Draft): string[] => [
  lead,
  ...Array(3).fill(BETWEEN),
  ...(isLong ? LETTERS : []),
  body,
  BETWEEN,
];

const LETTERS: readonly string[] = Array.from(
  { length: 120 },
  (_, at) => `Letter ${at + 1} came from ${placeName(at)} and speaks of ${placeName(at + 7)}. ${BETWEEN}`,
);

export const ROBOTS = 'User-agent: *\nDisallow: /closed/\n';

export function htmlOf(page: FrozenPage): string {
  const hidden = page.hostile ? `<p style="display:none">${page.hostile}</p><!-- ${page.hostile} -->` : '';
  const wall = page.delivery === 'paywall' ? '<p>Subscribe to continue reading. Already a subscriber? Log in.</p>' : '';
  const text =
    page.delivery === 'paywall'
      ? ''
      : paragraphsOf(page)
          .map((one) => `<p>${one}</p>`)
          .join('\n');
  const time = page.publishedAt
    ? `<meta property="article:published_time" content="${page.publishedAt}"><time datetime="${page.publishedAt}">${page.publishedAt.slice(0, 10)}</time>`
    : '';
  return `<!doctype html><html lang="${page.language}"><head><meta charset="utf-8"><title>${page.title}</title>${time}</head>
<body><nav><a href="/">Home</a> <a href="/contact">Contact</a> <a href="/news">News</a></nav>
<div class="cookie-banner">This site uses cookies. <button>OK</button></div>
<main><article><h1>${page.title}</h1>${wall}${text}${hidden}</article></main>
<aside><h2>Most read</h2><ul><li><a href="/1">Ten recipes</a></li><li><a href="/2">The weather</a></li></ul></aside>
<footer>Imprint. Privacy. All figures without guarantee.</footer><script>console.log('furniture')</script></body></html>`;
}

const MAX_LINE = 80;

const linesOf = (text: string): string[] => text.match(new RegExp(`\\S.{0,${MAX_LINE}}(?= |$)`, 'g')) ?? [];

/** One page of Helvetica. The offsets of the table are counted in bytes, so the text is plain ASCII. */
export function pdfOf(page: FrozenPage): Buffer {
  const lines = [page.title, ...paragraphsOf(page).flatMap(linesOf)];
  const shown = lines.map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`).join('\n');
  const content = `BT /F1 11 Tf 14 TL 50 780 Td\n${shown}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`);
  const offsets = objects.map((_, at) => 9 + objects.slice(0, at).join('').length);
  const table = offsets.map((offset) => `${`${offset}`.padStart(10, '0')} 00000 n \n`).join('');
  const start = 9 + objects.join('').length;
  const count = objects.length + 1;
  return Buffer.from(
    `%PDF-1.4\n${objects.join('')}xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  );
}
