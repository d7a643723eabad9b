import { describe, expect, it } from 'vitest';
import type { ReportDocument } from '../../../engines/reports/report-document.ts';
import { openReader } from '../documents/setup.ts';
import { exampleReport } from './example-report.ts';
import { render, textOf } from './setup.ts';

const documents = openReader();

const report: ReportDocument = {
  ...exampleReport,
  sections: [
    {
      heading: 'Findings',
      blocks: [
        {
          kind: 'paragraph',
          runs: [
            { text: 'Fees rose by 4 %.', citations: [1], mark: 'not <confirmed>' },
            { text: ' They fell in May.', citations: [2] },
          ],
        },
        {
          kind: 'table',
          columns: [{ heading: 'Port' }],
          rows: [[{ text: 'Halden Bay' }]],
          remark: '14 more rows: records.xlsx',
        },
      ],
    },
  ],
};

async function pdfText(): Promise<string> {
  const { bytes } = await render(report, 'pdf');
  const { parts } = await documents.read({ bytes, name: 'report.pdf' });
  return parts.map(({ text }) => text.replaceAll(/\s+/g, ' ')).join(' ');
}

describe('a sentence with a mark', () => {
  it('is followed by it in words, as text and not as markup', async () => {
    expect(await textOf(report, 'html')).toMatch(
      /Fees rose by 4 %\..*\[1\].* <small class="mark">\(not &lt;confirmed&gt;\)<\/small> They fell in May\./,
    );
    expect(await textOf(report, 'markdown')).toMatch(/4 %\. \[\[1\]\] \*\(not .*confirmed.*\)\* They fell/);
    expect(await pdfText()).toMatch(/4 %\. ?\[1\] ?\(not <confirmed>\) They fell in May/);
  });
});

describe('a table with a remark', () => {
  it('has it below its rows', async () => {
    for (const text of [await textOf(report, 'html'), await textOf(report, 'markdown'), await pdfText()])
      expect(text).toMatch(/Halden Bay[\s\S]*14 more rows: records.xlsx/);
  });
});
