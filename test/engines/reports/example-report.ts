/** A report as the research agent makes it, and one with hostile content. */
import type { ReportBlock, ReportDocument } from '../../../engines/reports/report-document.ts';
import { exampleCharts } from '../charts/example-charts.ts';

const SENTENCES = [
  'The European Central Bank held its deposit rate at two per cent in September and pointed to wages that rise more slowly.',
  'Markets had expected as much: futures put the chance of a cut at less than one in ten before the meeting.',
  'Lending to firms grew by 2.9 % over the year, the fastest pace since the summer of 2023.',
  'Producers of industrial goods report fuller order books, while retailers see households save more than before.',
];

export const prose = (sentences: number, cited = 1): ReportBlock => ({
  kind: 'paragraph',
  runs: Array.from({ length: sentences }, (_, at) => ({
    text: `${at > 0 ? ' ' : ''}${SENTENCES[at % SENTENCES.length]}`,
    citations: at % 2 === 0 ? [cited] : [],
  })),
});

const rates: ReportBlock = {
  kind: 'table',
  caption: 'Policy rates at the end of the quarter',
  columns: [
    { heading: 'Central bank' },
    { heading: 'Q1 2025', align: 'end' },
    { heading: 'Q2 2025', align: 'end' },
    { heading: 'Remark' },
  ],
  rows: [
    [
      { text: 'European Central Bank' },
      { text: '2.50 %' },
      { text: '2.00 %', citations: [1] },
      { text: 'Deposit facility' },
    ],
    [
      { text: 'Federal Reserve' },
      { text: '4.50 %' },
      { text: '4.50 %', citations: [2] },
      { text: 'Upper end of the target range, unchanged since December 2024' },
    ],
    [{ text: 'Bank of England' }, { text: '4.50 %' }, { text: '4.25 %' }, { text: '' }],
  ],
};

export const exampleReport: ReportDocument = {
  title: 'Interest rates and lending in Europe, autumn 2025',
  subtitle: 'What three central banks did, what lending made of it, and what to watch until spring',
  madeAt: '2025-11-03T09:30:00.000Z',
  language: 'en',
  notes: ['Made from sample data that comes with Errand. Its figures are invented.'],
  sections: [
    {
      heading: 'Summary',
      blocks: [
        prose(3, 1),
        {
          kind: 'list',
          items: [
            [
              { text: 'Rates: ', strong: true },
              { text: 'on hold in Frankfurt, one cut in London.', citations: [1, 3] },
            ],
            [
              { text: 'Lending: ', strong: true },
              { text: 'growing again, led by investment in machines.', citations: [2] },
            ],
            [{ text: 'Risks: ', strong: true }, { text: 'energy prices, tariffs, and a weaker dollar.' }],
          ],
        },
      ],
    },
    {
      heading: 'Central banks',
      blocks: [
        { kind: 'chart', chart: exampleCharts['policy rates'], citations: [1, 2] },
        prose(4, 2),
        rates,
        { kind: 'quote', text: 'We are in a good place, but a good place is not a fixed place.', citations: [3] },
      ],
    },
    {
      heading: 'Companies',
      blocks: [
        prose(5, 3),
        { kind: 'chart', chart: exampleCharts['revenue by quarter'] },
        { kind: 'chart', chart: exampleCharts.margins, citations: [4] },
        {
          kind: 'list',
          ordered: true,
          items: [
            [{ text: 'Order books are fuller than a year ago.' }],
            [{ text: 'Margins in consumer electronics stay thin.' }],
          ],
        },
      ],
    },
    {
      heading: 'Other languages: Ελληνικά, Русский, Łódź',
      blocks: [
        {
          kind: 'paragraph',
          runs: [
            {
              text: 'Η ανάπτυξη ήταν ισχυρή. Рост был сильным. Größe, naïve, smörgåsbord, İstanbul, 東京 and 🚀 stand beside them; “quotes” – dashes — and 1 000 €.',
            },
          ],
        },
      ],
    },
  ],
  sources: [
    {
      number: 1,
      title: 'Monetary policy decisions',
      address: 'https://news.example.org/ecb/decisions?year=2025&month=09',
      publishedAt: '2025-09-11T12:15:00Z',
      isSample: true,
    },
    {
      number: 2,
      title: 'Statistics on lending to euro area firms, Q3 2025',
      address: 'https://data.example.org/lending.csv',
      publishedAt: '2025-10-28',
      isSample: true,
    },
    { number: 3, title: 'Minutes of the September meeting', publishedAt: '2025-09-25' },
    { number: 4, title: 'Annual report 2025', address: 'https://reports.example.org/annual-2025.pdf' },
  ],
};

export const longReport = (sections: number): ReportDocument => ({
  ...exampleReport,
  title: 'A long report',
  sections: Array.from({ length: sections }, (_, at) => ({
    heading: `Chapter ${at + 1}`,
    blocks: [
      prose(9, 1),
      { kind: 'chart', chart: exampleCharts['policy rates'] },
      prose(7, 2),
      {
        kind: 'table',
        caption: `Figures of chapter ${at + 1}`,
        columns: [{ heading: 'Month' }, { heading: 'Value', align: 'end' }, { heading: 'What happened' }],
        rows: Array.from({ length: 30 }, (_, row) => [
          { text: `Month ${row + 1}` },
          { text: `${(row * 7.3 + at).toFixed(1)}` },
          { text: SENTENCES[row % SENTENCES.length] ?? '', citations: [1 + (row % 4)] },
        ]),
      },
    ],
  })),
});
