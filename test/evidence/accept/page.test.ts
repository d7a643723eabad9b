import { expect, it } from 'vitest';
import { type Acceptance, acceptancePage, summaryLine } from './page.ts';
import { scoreField } from './score.ts';

const ACCEPTANCE: Acceptance = {
  model: 'work/model',
  day: '2026-11-29',
  place: 'on one machine',
  documents: [
    {
      id: 'lease',
      path: '/documents/lease.docx',
      fields: [
        scoreField('rent', 88_200, []),
        scoreField('deposit', 18_000, [
          { path: 'deposit', status: 'proven', value: 18_000, reason: 'stands <beside> it', candidates: [] },
        ]),
      ],
    },
  ],
  chat: { asked: 'Who voted?', text: 'Seven members.', expected: [{ text: 'nine', isThere: false }], warnings: ['W'] },
  spent: { inputTokens: 12_345, outputTokens: 678, usd: null, seconds: 61 },
};

it('says in one line what arrived and what it cost', () => {
  expect(summaryLine(ACCEPTANCE)).toBe(
    '1 right, 0 marked, 1 missing, 0 wrong; 12,345 tokens in, 678 out, price not known, 61 s',
  );
});

it('shows each value beside what stands in the document, and takes no mark-up from it', () => {
  const page = acceptancePage(ACCEPTANCE);
  expect(page).toContain('<td>88200</td><td>–</td><td>missing</td>');
  expect(page).toContain('stands &lt;beside&gt; it');
  expect(page).toContain('nine: not in the answer');
});
