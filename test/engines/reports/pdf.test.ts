import { describe, expect, it } from 'vitest';
import type { ReportDocument } from '../../../engines/reports/report-document.ts';
import { openReader } from '../documents/setup.ts';
import { exampleReport, longReport, prose } from './example-report.ts';
import { hostileReport } from './hostile-report.ts';
import { render } from './setup.ts';

const documents = openReader();
const pdfOf = async (report: ReportDocument) => (await render(report, 'pdf')).bytes;
const partsOf = async (report: ReportDocument) => {
  const { parts } = await documents.read({ bytes: await pdfOf(report), name: 'report.pdf' });
  return parts;
};
const flat = (text: string): string => text.replaceAll(/[\s*#|>\\-]+/g, ' ');
const textOf = async (report: ReportDocument) => flat((await partsOf(report)).map(({ text }) => text).join('\n'));
const report = (blocks: ReportDocument['sections'][number]['blocks']): ReportDocument => ({
  ...exampleReport,
  sections: [{ heading: 'Only', blocks }],
});

describe('a report as PDF', () => {
  it('says what it is', async () => {
    const { contentType, extension, bytes } = await render(exampleReport, 'pdf');
    expect([contentType, extension]).toEqual(['application/pdf', 'pdf']);
    expect(Buffer.from(bytes.subarray(0, 8)).toString()).toBe('%PDF-1.7');
  });

  it('is read back in its order, letters of three scripts, charts and tables among them', async () => {
    const text = await textOf(exampleReport);
    const places = [
      'Interest rates and lending in Europe',
      'Made from sample data',
      'Summary',
      'The European Central Bank held its deposit rate',
      'on hold in Frankfurt, one cut in London.',
      'Central banks',
      'Policy rates of three central banks since January 2023',
      'Bank of England',
      'Policy rates at the end of the quarter',
      'Upper end of the target range, unchanged since December 2024',
      'We are in a good place',
      'Revenue by quarter',
      '2. Margins in consumer electronics stay thin.',
      'Η ανάπτυξη ήταν ισχυρή. Рост был сильным. Größe, naïve, smörgåsbord, İstanbul',
      'Sources',
      'Monetary policy decisions',
      'Minutes of the September meeting',
    ].map((words) => ({ words, at: text.indexOf(words) }));
    expect(places.filter(({ at }) => at < 0)).toEqual([]);
    expect(places.toSorted((a, b) => a.at - b.at)).toEqual(places);
  });

  it('names the script that its font cannot show, once, and leaves ornaments out', async () => {
    expect(await textOf(exampleReport)).toContain('İstanbul, [Han] and stand beside them');
  });

  it('numbers its pages, and repeats the head of a table on each that it goes on to', async () => {
    const rows = Array.from({ length: 90 }, (_, at) => [{ text: `Row ${at + 1}` }, { text: String(at * at) }]);
    const parts = await partsOf(
      report([{ kind: 'table', columns: [{ heading: 'Name' }, { heading: 'Square' }], rows }]),
    );
    expect(parts.map(({ label }) => label)).toEqual(['page 1', 'page 2', 'page 3', 'page 4']);
    for (const [at, { text }] of parts.entries()) {
      expect(flat(text)).toContain(`${at + 1} / 4`);
      if (at < 3) expect(flat(text)).toContain('Name Square');
    }
    const told = flat(parts.map(({ text }) => text).join(' '));
    for (const [row] of rows) expect(told).toContain(row?.text);
  });

  it('keeps a heading on the page of the chart, the table or the text below it', async () => {
    const table: ReportDocument['sections'][number]['blocks'][number] = {
      kind: 'table',
      columns: [{ heading: 'Name' }],
      rows: [[{ text: 'First row '.repeat(30) }]],
    };
    const chart = exampleReport.sections[1]?.blocks[0];
    for (const [block, words] of [
      [chart, 'Policy rates of three central banks'],
      [table, 'First row'],
      [prose(3), 'The European Central Bank held'],
    ] as const) {
      for (let lines = 20; lines < 44; lines += 1) {
        const filler = Array.from({ length: lines }, () => [{ text: 'Filler' }]);
        const parts = await partsOf({
          ...exampleReport,
          sections: [
            { heading: 'Before', blocks: [{ kind: 'list', items: filler }] },
            { heading: 'Kept together', blocks: block ? [block] : [] },
          ],
        });
        const page = parts.find(({ text }) => flat(text).includes('Kept together'));
        expect(flat(page?.text ?? '')).toContain(words);
      }
    }
  });

  it('cuts the title in its foot between words', async () => {
    const title = `How did the fees of ports change ${'and Donaudampfschifffahrtsgesellschaften '.repeat(6)}`.trim();
    const [page] = await partsOf({ ...exampleReport, title });
    const text = flat(page?.text ?? '');
    const foot = text.slice(text.lastIndexOf('How did the fees'), text.lastIndexOf('…'));
    expect(text).toContain(title);
    expect(foot).not.toBe('');
    expect(title.startsWith(`${foot} `)).toBe(true);
  });

  it('breaks long texts, long words and long lists, and loses none of their words', async () => {
    const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.repeat(4);
    const blocks = report([
      prose(60),
      { kind: 'paragraph', runs: [{ text: word }] },
      {
        kind: 'list',
        ordered: true,
        items: Array.from({ length: 120 }, (_, at) => [{ text: `Item ${at + 1} of many.` }]),
      },
      { kind: 'quote', text: Array.from({ length: 90 }, (_, at) => `Sentence ${at + 1} of a long quote.`).join(' ') },
    ]);
    const text = (await textOf(blocks)).replaceAll(/\s/g, '');
    expect(text).toContain(word);
    expect(text).toContain('120.Item120ofmany.');
    expect(text).toContain('Sentence90ofalongquote.');
  });

  it('is the same byte by byte for the same report, and dated as the report is', async () => {
    const [one, other] = [await pdfOf(exampleReport), await pdfOf(structuredClone(exampleReport))];
    expect(Buffer.compare(one, other)).toBe(0);
    expect(Buffer.from(one).toString('latin1')).toContain('/CreationDate (D:20251103093000Z)');
  });

  it('tells programs its title, its language and what is what', async () => {
    const raw = Buffer.from(await pdfOf({ ...exampleReport, language: 'de-AT', title: 'Zinsen' })).toString('latin1');
    const inHex = (text: string) => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;
    expect(raw).toContain(`/Title ${inHex('Zinsen')}`);
    expect(raw).toContain(`/Lang ${inHex('de-AT')}`);
    for (const role of ['H1', 'H2', 'P', 'L', 'LI', 'Table', 'TR', 'TH', 'TD', 'Figure', 'BlockQuote', 'Link']) {
      expect(raw).toContain(`/S /${role} `);
    }
    expect(raw.match(/\/S \/Figure [^\n]*\/Alt <FEFF/g)).toHaveLength(3);
  });

  it('leads to the web only where a source does', async () => {
    const raw = Buffer.from(await pdfOf(hostileReport)).toString('latin1');
    const addresses = Array.from(raw.matchAll(/\/URI \(((?:\\.|[^)\\])*)\)/g), ([, address]) => address);
    expect([...new Set(addresses)]).toEqual(['https://ok.example.org/a%22onmouseover=%22x\\)\\(%3E|/?q=%3Cb%3E']);
    expect(raw).not.toMatch(/\/JavaScript|\/JS |\/Launch|\/EmbeddedFile/);
  });

  it('is bounded, and says so', async () => {
    const text = 'word '.repeat(1_900);
    const many = Array.from({ length: 190 }, () => ({ kind: 'paragraph' as const, runs: [{ text }] }));
    const { bytes } = await render(report(many), 'html');
    expect(bytes.length).toBeLessThan(1_100_000);
    expect(new TextDecoder().decode(bytes)).toContain('This report is shortened');
    expect(await textOf(report([prose(3)]))).not.toContain('shortened');
  });

  it('holds a report of nothing', async () => {
    const text = await textOf({ title: '', madeAt: '', notes: [], sections: [], sources: [] });
    expect(text).toContain('Report');
  });

  it('makes some thirty pages of a long report', async () => {
    const parts = await partsOf(longReport(12));
    expect(parts.length).toBeGreaterThan(25);
    for (const [at, { text }] of parts.entries()) expect(flat(text)).toContain(`${at + 1} / ${parts.length}`);
  });
});
