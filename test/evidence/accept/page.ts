/** The page of an acceptance: what a person reads to decide whether a model is good enough for these documents. */
import { basename } from 'node:path';
import type { Outcome, ScoredField } from './score.ts';

export type DocumentResult = {
  id: string;
  path: string;
  fields: ScoredField[];
  /** For a document without labels. */
  summary?: string[];
  /** Why there is no result. */
  fault?: string;
};
export type TextResult = {
  asked: string;
  text: string;
  expected: { text: string; isThere: boolean }[];
  warnings: string[];
  fault?: string;
};
export type Spent = { inputTokens: number; outputTokens: number; usd: number | null; seconds: number };
export type Acceptance = {
  model: string;
  day: string;
  place: string;
  documents: DocumentResult[];
  chat?: TextResult;
  research?: TextResult;
  /** Of a stage: one line for each thing that was tried there. */
  stage?: { what: string; outcome: string }[];
  spent: Spent;
};

const OUTCOMES: Record<Outcome, string> = {
  right: 'arrived right',
  marked: 'marked: found, not delivered',
  missing: 'missing',
  wrong: 'wrong',
};

function countOutcomes(documents: readonly DocumentResult[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = { right: 0, marked: 0, missing: 0, wrong: 0 };
  for (const { fields } of documents) for (const { outcome } of fields) counts[outcome]++;
  return counts;
}

export const summaryLine = ({ documents, spent }: Acceptance): string => {
  const counts = Object.entries(countOutcomes(documents)).map(([outcome, count]) => `${count} ${outcome}`);
  return `${counts.join(', ')}; ${spentLine(spent)}`;
};

const spentLine = ({ inputTokens, outputTokens, usd, seconds }: Spent): string => {
  const dollars = usd === null ? 'price not known' : `${usd.toFixed(2)} US dollars`;
  return `${inputTokens.toLocaleString('en')} tokens in, ${outputTokens.toLocaleString('en')} out, ${dollars}, ${Math.round(seconds)} s`;
};

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);
const shown = (value: unknown): string =>
  value === null || value === undefined ? '–' : escaped(Array.isArray(value) ? value.join('; ') : String(value));

const fieldRow = ({ name, expected, got, status, reason, outcome }: ScoredField): string =>
  `<tr class="${outcome}"><th scope="row">${escaped(name)}</th><td>${shown(expected)}</td><td>${shown(got)}</td><td>${escaped(status)}</td><td>${OUTCOMES[outcome]}</td><td>${escaped(reason)}</td></tr>`;

function documentSection({ id, path, fields, summary, fault }: DocumentResult): string {
  const table = `<table><thead><tr><th>Field</th><th>In the document</th><th>Delivered</th><th>Status</th><th>Outcome</th><th>Reason given</th></tr></thead><tbody>${fields.map(fieldRow).join('')}</tbody></table>`;
  return [
    `<section><h2>${escaped(id)}</h2><p>${escaped(basename(path))}</p>`,
    fault ? `<p class="wrong">${escaped(fault)}</p>` : '',
    fields.length > 0 && !fault ? table : '',
    summary ? `<ul>${summary.map((point) => `<li>${escaped(point)}</li>`).join('')}</ul>` : '',
    '</section>',
  ].join('');
}

function textSection(title: string, { asked, text, expected, warnings, fault }: TextResult): string {
  const marks = expected.map(
    ({ text: wanted, isThere }) =>
      `<li class="${isThere ? 'right' : 'wrong'}">${escaped(wanted)}: ${isThere ? 'in the answer' : 'not in the answer'}</li>`,
  );
  return [
    `<section><h2>${title}</h2><p><em>${escaped(asked)}</em></p>`,
    fault ? `<p class="wrong">${escaped(fault)}</p>` : `<pre>${escaped(text)}</pre>`,
    `<ul>${marks.join('')}${warnings.map((warning) => `<li>Warning: ${escaped(warning)}</li>`).join('')}</ul></section>`,
  ].join('');
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}' +
  'table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #d5dae2}' +
  'pre{white-space:pre-wrap;font:inherit;border-left:3px solid #d5dae2;padding-left:1rem}' +
  '.wrong td:nth-child(5),p.wrong,li.wrong{color:#a4161a}.right td:nth-child(5),li.right{color:#1b6b3a}.marked td:nth-child(5){color:#7a5200}';

export function acceptancePage(acceptance: Acceptance): string {
  const { model, day, place, documents, chat, research, stage, spent } = acceptance;
  const counts = countOutcomes(documents);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const lines = (Object.keys(OUTCOMES) as Outcome[]).map(
    (outcome) => `<li class="${outcome}">${counts[outcome]} of ${total} ${OUTCOMES[outcome]}</li>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Acceptance of ${escaped(model)}</title><style>${STYLE}</style></head><body>`,
    `<h1>Acceptance of ${escaped(model)}</h1><p>${escaped(day)}, ${escaped(place)}. ${spentLine(spent)}.</p>`,
    total > 0 ? `<ul>${lines.join('')}</ul>` : '',
    stage
      ? `<section><h2>The stage</h2><ul>${stage.map(({ what, outcome }) => `<li>${escaped(what)}: ${escaped(outcome)}</li>`).join('')}</ul></section>`
      : '',
    ...documents.map(documentSection),
    chat ? textSection('Chat', chat) : '',
    research ? textSection('Research', research) : '',
    '</body></html>\n',
  ].join('\n');
}
