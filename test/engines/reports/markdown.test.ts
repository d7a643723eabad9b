import { marked, type Token, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { exampleReport } from './example-report.ts';
import { hostileReport, ORDERS } from './hostile-report.ts';
import { render, textOf } from './setup.ts';

const markdown = await textOf(exampleReport, 'markdown');
const hostile = await textOf(hostileReport, 'markdown');

/** The parts of a text by an independent parser of GitHub's Markdown. */
function partsOf(text: string): Token[] {
  const parts: Token[] = [];
  marked.walkTokens(marked.lexer(text, { gfm: true }), (token) => void parts.push(token));
  return parts;
}
const ofKind = <T extends Token>(text: string, kind: T['type']): T[] =>
  partsOf(text).filter(({ type }) => type === kind) as T[];

describe('a report as Markdown', () => {
  it('says what it is', async () => {
    const { contentType, extension } = await render(exampleReport, 'markdown');
    expect([contentType, extension]).toEqual(['text/markdown; charset=utf-8', 'md']);
  });

  it('has its title, what must be known first, and its sections in order', () => {
    const headings = ofKind<Tokens.Heading>(markdown, 'heading').map(({ depth, text }) => `${depth} ${text}`);
    expect(headings).toEqual([
      '1 Interest rates and lending in Europe, autumn 2025',
      '2 Summary',
      '2 Central banks',
      '2 Companies',
      '2 Other languages: Ελληνικά, Русский, Łódź',
      '2 Sources',
    ]);
    expect(markdown.indexOf('sample data')).toBeLessThan(markdown.indexOf('## Summary'));
  });

  it.each([
    ['en', '3 November 2025'],
    ['en-US', '3 November 2025'],
    ['de', '3\\. November 2025'],
  ])('has the day before the month, as mails have it: %s', async (language, day) => {
    expect(await textOf({ ...exampleReport, language }, 'markdown')).toContain(`\n\n${day}\n\n`);
  });

  it('links each citation to its source if that has an address, and shows it if not', () => {
    const links = ofKind<Tokens.Link>(markdown, 'link').map(({ text, href }) => `${text} ${href}`);
    expect(links).toContain('1 https://news.example.org/ecb/decisions?year=2025&month=09');
    expect(links).toContain('Annual report 2025 https://reports.example.org/annual-2025.pdf');
    expect(markdown).toContain('on hold in Frankfurt, one cut in London. [[1]] \\[3\\]');
  });

  it('tells a chart in words and as a table of its values', () => {
    const tables = ofKind<Tokens.Table>(markdown, 'table');
    const revenue = tables.find(({ header }) => header[0]?.text === 'million EUR');
    expect(revenue?.rows.map((row) => row.map(({ text }) => text))).toContainEqual(['Q3 2024', '203.7']);
    expect(markdown).toContain('Bar chart: Revenue by quarter, in million EUR.');
  });

  it('aligns figures to the end, and keeps every cell in its column', () => {
    const [, table] = ofKind<Tokens.Table>(markdown, 'table');
    expect(table?.align).toEqual([null, 'right', 'right', null]);
    expect(table?.rows.map((row) => row.length)).toEqual([4, 4, 4]);
  });
});

describe('a report that gives orders, as Markdown', () => {
  it('holds no HTML, no picture, no code and no link but those of its judged sources', () => {
    const kinds = new Set(partsOf(hostile).map(({ type }) => type));
    for (const kind of ['html', 'image', 'code', 'codespan', 'em', 'del']) expect(kinds).not.toContain(kind);
    const targets = ofKind<Tokens.Link>(hostile, 'link').map(({ href }) => new URL(href).origin);
    expect([...new Set(targets)]).toEqual(['https://ok.example.org']);
    expect(hostile).not.toContain('secret@');
  });

  it('has only the headings, lists, quotes and tables that it was given', () => {
    const chapters = hostileReport.sections.length;
    expect(ofKind(hostile, 'heading')).toHaveLength(1 + chapters + 1);
    expect(ofKind(hostile, 'list')).toHaveLength(ORDERS.length + 1);
    // The first twenty notes, and the quotes.
    expect(ofKind(hostile, 'blockquote')).toHaveLength(20 + ORDERS.length);
    const tables = ofKind<Tokens.Table>(hostile, 'table');
    expect(
      tables.map(({ header, rows }) => [header.length, rows.length, ...new Set(rows.map((row) => row.length))]),
    ).toEqual([
      [2, ORDERS.length, 2],
      [3, ORDERS.length, 3],
    ]);
    expect(ofKind(hostile, 'hr')).toEqual([]);
  });

  it('shows the letters that it was given', () => {
    const shown = marked.parse(hostile, { gfm: true, async: false }).replaceAll('\u2060', '');
    expect(shown).toContain('&lt;script&gt;document.title=&quot;taken&quot;&lt;/script&gt;');
    expect(shown).toContain('[click](https://evil.example.org/b)');
    expect(shown).toContain('**bold** _em_ ~~gone~~ `code`');
  });
});
