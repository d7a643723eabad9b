import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { exampleReport, longReport, prose } from './example-report.ts';
import { hostileReport } from './hostile-report.ts';
import { render, textOf } from './setup.ts';

type Node = { type: string; name?: string; attribs?: Record<string, string>; children?: Node[]; data?: string };

const nodesOf = (html: string): Node[] => under(parseDocument(html) as unknown as Node);
const under = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(under)];
const wordsIn = (node: Node): string => node.data ?? (node.children ?? []).map(wordsIn).join('');
const html = await textOf(exampleReport, 'html');
const nodes = nodesOf(html);
const nodesNamed = (...names: string[]) => nodes.filter(({ name }) => names.includes(name ?? ''));

describe('a report as HTML', () => {
  it('says what it is, in which language, and that it loads and runs nothing', async () => {
    const { contentType, extension } = await render(exampleReport, 'html');
    expect([contentType, extension]).toEqual(['text/html; charset=utf-8', 'html']);
    expect(nodesNamed('html')[0]?.attribs?.lang).toBe('en');
    const policy = nodesNamed('meta').find(({ attribs }) => attribs?.['http-equiv'] === 'Content-Security-Policy');
    expect(policy?.attribs?.content).toContain("default-src 'none'");
    expect(policy?.attribs?.content).not.toMatch(/script-src|https?:/);
    expect(nodesNamed('script', 'link', 'iframe', 'img', 'object', 'form', 'base')).toEqual([]);
  });

  it('has one title, and headings that skip no level', () => {
    const levels = nodesNamed('h1', 'h2', 'h3', 'h4').map(({ name }) => Number(name?.slice(1)));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [at, level] of levels.entries()) expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('gives tables headings with a scope, and figures a caption and a text for those who see none', () => {
    for (const table of nodesNamed('table')) {
      const headings = under(table).filter(({ name }) => name === 'th');
      expect(headings.length).toBeGreaterThan(0);
      expect(headings.every(({ attribs }) => attribs?.scope === 'col')).toBe(true);
    }
    for (const figure of nodesNamed('figure')) {
      expect(under(figure).filter(({ name }) => name === 'figcaption')).toHaveLength(1);
      for (const svg of under(figure).filter(({ name }) => name === 'svg')) {
        expect(svg.attribs).toMatchObject({ role: 'img', 'aria-label': expect.stringMatching(/chart: .+\./) });
      }
    }
    expect(nodesNamed('figure')).toHaveLength(3);
  });

  it('leads each citation to its source, and each source with an address out, telling nothing of where from', () => {
    const ids = new Set(nodes.flatMap(({ attribs }) => attribs?.id ?? []));
    const links = nodesNamed('a').map(({ attribs }) => attribs ?? {});
    const inside = links.filter(({ href }) => href?.startsWith('#'));
    expect(inside.length).toBeGreaterThan(10);
    for (const { href } of inside) expect(ids).toContain(href?.slice(1));
    const outside = links.filter(({ href }) => !href?.startsWith('#'));
    expect(outside).toHaveLength(3);
    for (const { href, rel } of outside) {
      expect(href).toMatch(/^https:/);
      expect(rel).toBe('noopener noreferrer nofollow');
    }
  });

  it('keeps short cells on one line, if the row has room for it', async () => {
    const unbroken = async (cells: string[]) => {
      const columns = cells.map((_, at) => ({ heading: `C${at}` }));
      const table = { kind: 'table' as const, columns, rows: [cells.map((text) => ({ text }))] };
      const all = nodesOf(await textOf({ ...exampleReport, sections: [{ heading: 'One', blocks: [table] }] }, 'html'));
      return all.filter(({ name, attribs }) => name === 'td' && attribs?.class === 'unbroken').map(wordsIn);
    };
    const day = '27 November 2026';
    expect(await unbroken(['Container freight from Asia to Europe', day, 'Market data'])).toEqual([day, 'Market data']);
    expect(await unbroken([day, day, day, day, day])).toEqual([]);
  });

  it('lists its contents only if it is long', async () => {
    const contents = async (report: typeof exampleReport) =>
      nodesOf(await textOf(report, 'html')).filter(({ name }) => name === 'nav').length;
    const sections = (count: number, sentences: number) =>
      Array.from({ length: count }, (_, at) => ({ heading: `Part ${at + 1}`, blocks: [prose(sentences)] }));
    expect(await contents({ ...exampleReport, sections: sections(8, 3) })).toBe(0);
    expect(await contents({ ...exampleReport, sections: sections(5, 60) })).toBe(0);
    expect(await contents(longReport(6))).toBe(1);
  });

  it('says the page of a citation, at its number and in the list of sources', async () => {
    const runs = [{ text: 'It fell.', citations: [1, 2], places: { 2: 'page "12"' } }];
    const [first, second] = exampleReport.sources;
    const sources = [first, { ...second, places: ['page 12', 'page 14'] }] as typeof exampleReport.sources;
    const report = {
      ...exampleReport,
      sections: [{ heading: 'One', blocks: [{ kind: 'paragraph' as const, runs }] }],
      sources,
    };
    const all = nodesOf(await textOf(report, 'html'));
    const cites = all.filter(({ attribs }) => attribs?.href?.startsWith('#source')).map(({ attribs }) => attribs);
    expect(cites[0]?.title).toBeUndefined();
    expect(cites[1]).toMatchObject({ title: 'page "12"', 'aria-label': 'Source 2, page "12"' });
    expect(all.filter(({ attribs }) => attribs?.id === 'source-2').map(wordsIn)[0]).toContain('page 12, page 14');
  });

  it('has no id twice', () => {
    const ids = nodes.flatMap(({ attribs }) => attribs?.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is the same letter by letter for the same report', async () => {
    expect(await textOf(structuredClone(exampleReport), 'html')).toBe(html);
  });
});

describe('a report that gives orders, as HTML', () => {
  it('makes no element, no attribute and no address of them', async () => {
    const all = nodesOf(await textOf(hostileReport, 'html'));
    const names = new Set(all.map(({ name }) => name));
    for (const name of ['script', 'img', 'b', 'i', 'iframe', 'link']) expect(names).not.toContain(name);
    const attributes = all.flatMap(({ attribs }) => Object.keys(attribs ?? {}));
    expect(attributes.filter((name) => name.startsWith('on'))).toEqual([]);
    const addresses = all.flatMap(({ attribs }) => [attribs?.href ?? [], attribs?.src ?? []]).flat();
    expect(addresses.filter((address) => !address.startsWith('#'))).toEqual([
      'https://ok.example.org/a%22onmouseover=%22x)(%3E|/?q=%3Cb%3E',
    ]);
    expect(all.filter(({ name }) => name === 'h1')).toHaveLength(1);
    expect(
      all
        .filter(({ name }) => name === 'title')
        .map(wordsIn)
        .join(),
    ).toContain('<script>');
  });
});
