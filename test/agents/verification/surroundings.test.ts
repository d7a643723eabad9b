/** What a quote says is often said beside it: its unit in the head of the table, its period in a heading. */
import { describe, expect, it } from 'vitest';
import { locateQuote } from '../../../agents/verification/evidence/quotes.ts';
import { surroundingsOf, surroundingText } from '../../../agents/verification/evidence/surroundings.ts';
import type { DocumentPart } from '../../../engines/documents/document.ts';
import { expectWithin } from '../../support/expect-time.ts';

const part = (text: string, label = 'page 1'): DocumentPart => ({ label, text });

function around(quote: string, ...texts: string[]) {
  const parts = texts.map((text, nth) => part(text, `page ${nth + 1}`));
  const located = locateQuote(parts, quote);
  if (!located) throw new Error(`${quote} was not located.`);
  return surroundingsOf(parts, located);
}

const LEASE = `Oster Lines AS

# Mietvertrag

## § 3 Miete

Die Miete beträgt **1.608 Euro** im
Monat. Sie ist am ersten Werktag fällig.

Der Vermieter zahlt die Steuern.
Die Kaution sind drei Mieten.
Alles Weitere regelt § 4.

# Annex A

Schlüssel: drei`;

describe('the lines of a quote', () => {
  it('are whole, also where it was cut inside a word', () => {
    expect(around('trägt **1.608 Euro** im\nMon', LEASE).lines).toBe(
      'Die Miete beträgt **1.608 Euro** im\nMonat. Sie ist am ersten Werktag fällig.',
    );
  });

  it('are whole sentences where a line is very long', () => {
    const text = `${'Nothing is said here. '.repeat(100)}The rent is due on Monday. ${'No more is said. '.repeat(100)}`;
    const { lines } = around('rent is due', text);
    expect(lines).toContain('The rent is due on Monday.');
    expect(lines.length).toBeLessThanOrEqual(600);
    expect(lines).toMatch(/^(?:Nothing|The).*\.$/);
  });

  it('are whole words where no sentence ends', () => {
    const { lines } = around('word511 word512', Array.from({ length: 1_000 }, (_, nth) => `word${nth}`).join(' '));
    expect(lines).toMatch(/^word\d{3} .*word511 word512 .* word\d{3}$/);
    expect(lines.length).toBeLessThanOrEqual(600);
  });
});

describe('headings', () => {
  it('are those the quote stands under, the outermost first', () => {
    expect(around('1.608 Euro', LEASE).headings).toEqual(['Mietvertrag', '§ 3 Miete']);
    expect(around('Schlüssel: drei', LEASE).headings).toEqual(['Annex A']);
  });
  it('come from an earlier page if this one has none', () => {
    expect(around('la somme', LEASE, 'rien', 'la somme').headings).toEqual(['Annex A']);
  });
  it('are not those below', () => expect(around('Oster Lines', LEASE).headings).toEqual([]));
});

describe('the title', () => {
  it('is the first heading, or the first line', () => {
    expect(around('drei Mieten', LEASE).title).toBe('Mietvertrag');
    expect(around('Totale', '\n\n  Fattura n. 12  \nTotale 5').title).toBe('Fattura n. 12');
  });
  it('is short', () => expect(around('end', `${'long '.repeat(90)}end`).title?.length).toBe(120));
  it('is not taken from hidden text', () => {
    const parts = [{ ...part('# Hidden'), hidden: true }, part('Seen\nrent of 5')];
    expect(surroundingsOf(parts, { part: 1, from: 5, to: 9, label: 'page 2' }).title).toBe('Seen');
  });
});

describe('the head of a table', () => {
  const TABLE = `## Results

in EUR thousand

| Item | 2022 | 2023 |
| --- | --- | --- |
| Assets | | |
| Cash | 12 | 14 |
| Liabilities | | |
| Loans | 1,701 | 1,608 |`;
  it('has the line above it, its columns and the rows that head rows', () => {
    expect(around('Loans 1,701', TABLE).head).toBe('in EUR thousand\n| Item | 2022 | 2023 |\n| Liabilities | | |');
    expect(around('Cash 12', TABLE).head).not.toContain('Liabilities');
  });
  it('is the head on the page before if the table goes on', () => {
    const next = '| Taxes | 5 | 6 |\n| --- | --- | --- |\n| Leases | 7 | 8 |';
    expect(around('Leases 7', TABLE, next).head).toContain('| Item | 2022 | 2023 |');
    expect(around('Leases 7', `${TABLE}\n\nNotes`, next).head).not.toContain('2022');
  });
  it('is missing in a text without tables', () => expect(around('1.608', LEASE)).not.toHaveProperty('head'));
});

describe('neighbours', () => {
  it('are the two lines on each side that say something', () => {
    const { before, after } = around('Vermieter zahlt', LEASE);
    expect(before).toBe('Die Miete beträgt **1.608 Euro** im\nMonat. Sie ist am ersten Werktag fällig.');
    expect(after).toBe('Die Kaution sind drei Mieten.\nAlles Weitere regelt § 4.');
  });
  it('are missing at the ends', () => {
    expect(around('Schlüssel: drei', LEASE)).not.toHaveProperty('after');
    expect(around('Oster Lines', LEASE)).not.toHaveProperty('before');
  });
  it('are short, and cut to what is nearer', () => {
    const { before, after } = around('rent of 5', `${'a '.repeat(300)}near\nrent of 5\nnear${' b'.repeat(300)}`);
    expect(before).toMatch(/near$/);
    expect(after).toMatch(/^near/);
    expect(Math.max(before?.length ?? 0, after?.length ?? 0)).toBeLessThanOrEqual(200);
  });
});

it('is searched as one text', () => {
  const text = surroundingText(around('1.608 Euro', LEASE));
  expect(text).toMatch(/^Mietvertrag\nMietvertrag\n§ 3 Miete\n/);
  expect(text).toContain('Der Vermieter zahlt');
});

it.each([
  ['empty lines', `rent of 5${'\n'.repeat(1_000_000)}rent of 5`],
  ['one line', `${'a '.repeat(500_000)}rent of 5`],
  ['rows', `| a | b |\n| --- | --- |\n${'| a | |\n'.repeat(125_000)}| rent of 5 | 1 |`],
  ['headings', `${'# a\n'.repeat(250_000)}rent of 5`],
])('takes little time with a megabyte of %s', (_, text) => {
  const parts = [part(text)];
  const from = text.lastIndexOf('rent');
  const before = process.cpuUsage();
  for (let nth = 0; nth < 50; nth++) surroundingsOf(parts, { part: 0, from, to: from + 9, label: 'page 1' });
  const { user, system } = process.cpuUsage(before);
  expectWithin((user + system) / 1_000, 600);
});

it('heads a row by its own section, and not by those above it', () => {
  const text = '| Machine | Hours |\n| --- | --- |\n| Hall A | |\n| Press | 10 |\n| Hall B | |\n| Saw | 20 |';
  const at = text.indexOf('| Saw');
  const located = { part: 0, from: at, to: at + 9, label: 'page 1', match: 'exact' } as const;
  const { head = '' } = surroundingsOf([{ label: 'page 1', text }], located);
  expect(head).toContain('Hall B');
  expect(head).not.toContain('Hall A');
});
