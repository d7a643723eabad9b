/** A report whose texts all try to act as markup. */
import type { ReportDocument } from '../../../engines/reports/report-document.ts';

export const ORDERS = [
  '<script>document.title="taken"</script>',
  '<img src=https://evil.example.org/a.png onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '[click](https://evil.example.org/b)',
  '![picture](https://evil.example.org/c.png)',
  '[1]: https://evil.example.org/d',
  '<https://evil.example.org/e>',
  'https://evil.example.org/f and www.evil.example.org/g and post@evil.example.org',
  '</style></title></td></table><h1>new</h1>',
  '# heading',
  '- item',
  '1. item',
  '> quote',
  '| a | b |',
  '```js',
  '**bold** _em_ ~~gone~~ `code`',
  '&lt;b&gt; &#60;i&#62;',
  '\\[x\\](https://evil.example.org/h) \\',
  'a\nb\r\n\n# c\u2028---\n<b>d</b>',
  '\u202egnp.exe\u0000\u0007',
  ') /URI (javascript:alert(1)) >> endobj',
  '$$\\href{https://evil.example.org/i}{x}$$ [^1] ***',
];
const all = ORDERS.join(' ');

export const hostileReport: ReportDocument = {
  title: all,
  subtitle: all,
  madeAt: all,
  language: '"><script>',
  notes: ORDERS,
  sections: [
    ...ORDERS.map((order) => ({
      heading: order,
      blocks: [
        { kind: 'paragraph' as const, runs: [{ text: order, strong: true, citations: [1, 99] }, { text: order }] },
        { kind: 'paragraph' as const, runs: Array.from(order, (text) => ({ text })) },
        { kind: 'list' as const, items: [[{ text: order }]] },
        { kind: 'quote' as const, text: order },
      ],
    })),
    {
      heading: all,
      blocks: [
        {
          kind: 'table',
          caption: all,
          columns: [{ heading: all }, { heading: '|' }],
          rows: ORDERS.map((text) => [{ text }, { text: `${text}|`, citations: [1] }]),
        },
        {
          kind: 'chart',
          chart: {
            kind: 'bar',
            title: all,
            unit: all,
            x: { labels: ORDERS },
            series: [
              { name: all, values: ORDERS.map((_, at) => at) },
              { name: '|', values: [] },
            ],
            source: all,
          },
        },
      ],
    },
  ],
  sources: [
    { number: 1, title: all, address: 'javascript:alert(1)', publishedAt: all },
    { number: 2, title: all, address: 'https://ok.example.org/a"onmouseover="x)(>|\\?q=<b>' },
    { number: 3, title: all, address: 'https://user:secret@ok.example.org/' },
    { number: 4, title: all, address: 'data:text/html,<script>alert(1)</script>' },
  ],
};
