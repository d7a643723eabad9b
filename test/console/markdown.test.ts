import { describe, expect, it } from 'vitest';
import { parse } from '../../console/markdown/markdown.tsx';
import { expectWithin } from '../support/expect-time.ts';

type MarkdownInline = Extract<ReturnType<typeof parse>[number], { kind: 'paragraph' }>['content'][number];

const text = (inlines: MarkdownInline[]): string =>
  inlines
    .map((inline) => ('text' in inline ? inline.text : 'content' in inline ? text(inline.content) : '\n'))
    .join('');
const kinds = (blocks: ReturnType<typeof parse>) => blocks.map(({ kind }) => kind);
const inline = (line: string): MarkdownInline[] => {
  const [block] = parse(line);
  return block?.kind === 'paragraph' ? block.content : [];
};

/** Every URL that the tree renders as a link. */
function addresses(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'address' in node ? [String(node.address)] : [];
  return [...own, ...Object.values(node).flatMap(addresses)];
}

describe('Markdown', () => {
  it('becomes headings, paragraphs, quotes, lists, code, tables and rules', () => {
    const source =
      '# One\n\nTwo\nthree\n\n> four\n\n- five\n- six\n  - seven\n\n1. eight\n\n```js\n**nine**\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n---';
    const blocks = parse(source);
    expect(kinds(blocks)).toEqual(['heading', 'paragraph', 'quote', 'list', 'list', 'code', 'table', 'rule']);
    expect(blocks[5]).toEqual({ kind: 'code', text: '**nine**' });
    expect(blocks[3]).toMatchObject({
      isOrdered: false,
      items: [[{ kind: 'paragraph' }], [{ kind: 'paragraph' }, { kind: 'list' }]],
    });
    expect(blocks[6]).toMatchObject({
      head: [[{ text: 'a' }], [{ text: 'b' }]],
      rows: [[[{ text: '1' }], [{ text: '2' }]]],
    });
  });

  it('keeps escaped characters, and the text of unknown syntax', () => {
    expect(text(inline('financial\\_reports and market\\_data'))).toBe('financial_reports and market_data');
    expect(inline('snake_case_name 2*3*4')).toMatchObject([
      { kind: 'text', text: 'snake_case_name 2' },
      { kind: 'emphasis' },
      { text: '4' },
    ]);
    expect(text(inline('[not a link] and `a*b*`'))).toBe('[not a link] and a*b*');
  });

  it('never creates an element from HTML', () => {
    for (const hostile of [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '<a href="javascript:alert(1)">x</a>',
      '<svg/onload=alert(1)>',
    ]) {
      const blocks = parse(`Before ${hostile} after\n\n${hostile}`);
      expect(kinds(blocks)).toEqual(['paragraph', 'paragraph']);
      expect(blocks[1]).toEqual({ kind: 'paragraph', content: [{ kind: 'text', text: hostile }] });
    }
  });

  it('links to http, https and mailto alone', () => {
    const good = parse(
      '[a](https://acme.org/x) <http://acme.org/y> [b][1] [[2]]\n\n[1]: mailto:ann@acme.org\n[2]: https://acme.org/z "title"',
    );
    expect(addresses(good)).toEqual([
      'https://acme.org/x',
      'http://acme.org/y',
      'mailto:ann@acme.org',
      'https://acme.org/z',
    ]);
    const hostile = [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      '/relative',
      '//acme.org',
      'https://user:pass@acme.org/',
      '\u0001javascript:alert(1)',
      'java\tscript:alert(1)',
    ];
    for (const address of hostile) {
      expect(
        addresses(parse(`[x](${address}) ![x](${address}) <${address}> [y][r]\n\n[r]: ${address}`)),
        address,
      ).toEqual([]);
    }
  });

  it('keeps every line of a code block unchanged', () => {
    const code = 'start\n[error]: timeout\n[warn]: slow\n```not end\nend';
    expect(parse(`\`\`\`\n${code}\n\`\`\``)).toEqual([{ kind: 'code', text: code }]);
  });

  it('reads what models write: a table under a line, nested emphasis, struck words, tasks, bare URLs, entities', () => {
    expect(kinds(parse('Here it is:\n| a | b |\n|---|---|\n| 1 | 2 |'))).toEqual(['paragraph', 'table']);
    expect(text(inline('***x*** **bold and *em* inside** **5 * 3** __y__ ~~z~~ ``a`b`` &lt;b&gt;'))).toBe(
      'x bold and em inside 5 * 3 y z a`b <b>',
    );
    expect(text(inline('14. That is it.').concat(inline('see https://acme.org/a_(b)')))).toContain(
      'https://acme.org/a_(b)',
    );
    expect(addresses(parse('see https://acme.org/a_(b)'))).toEqual(['https://acme.org/a_(b)']);
    const [tasks] = parse('- [x] done\n- [ ] open');
    expect(
      tasks?.kind === 'list' && tasks.items.map(([item]) => item?.kind === 'paragraph' && text(item.content)),
    ).toEqual(['☑ done', '☐ open']);
  });

  it('stays fast and shallow with hostile nesting and repetition', () => {
    const hostile = [
      '['.repeat(20_000),
      '`'.repeat(20_000),
      '*'.repeat(20_000),
      `${'> '.repeat(5_000)}x`,
      `${'- '.repeat(5_000)}x`,
      '_a'.repeat(10_000),
      `|${' '.repeat(20_000)}\n|-${' '.repeat(20_000)}x`,
      `# ${' '.repeat(20_000)}x`,
      '![a]('.repeat(5_000),
      '\\'.repeat(20_000),
      '<http://'.repeat(5_000),
      `${'a\n'.repeat(5_000)}${'[x]: y\n'.repeat(5_000)}`,
      '*a _b '.repeat(300),
      'A line of **the** [report](https://acme.org/x).\n\n'.repeat(11_000),
      `${'[a]('.repeat(400)}\n`.repeat(50),
      `${'> a\n'.repeat(5_000)}`,
      Array.from({ length: 200 }, (_, at) => `${' '.repeat(2 * at)}- x`).join('\n'),
    ];
    for (const source of hostile) {
      const begun = process.cpuUsage();
      expect(parse(source).length).toBeGreaterThan(0);
      const { user, system } = process.cpuUsage(begun);
      expectWithin((user + system) / 1_000, 2_000, source.slice(0, 20));
    }
  });
});
