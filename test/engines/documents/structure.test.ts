import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DocumentPart } from '../../../engines/documents/document.ts';
import { docxOf } from './file-builders.ts';
import { sample } from './samples.ts';
import { openReader } from './setup.ts';

const documents = openReader();
const partsOf = async (file: string): Promise<DocumentPart[]> => {
  const { bytes } = sample(file);
  return (await documents.read({ bytes: bytes(), name: file })).parts;
};
const labelsOf = async (file: string) => (await partsOf(file)).map(({ label }) => label);
const textOf = async (file: string) => (await partsOf(file)).map(({ text }) => text).join('\n\n');

describe('pages, sheets, slides and sections', () => {
  it('gives a PDF page by page', async () => {
    const labels = await labelsOf('service-manual.reportlab.pdf');
    expect(labels.length).toBeGreaterThanOrEqual(10);
    expect(labels).toEqual(labels.map((_, at) => `page ${at + 1}`));
  });

  it.each([
    'budget-2026.openpyxl.xlsx',
    'budget-2026.libreoffice.xlsx',
    'budget-2026.libreoffice.xls',
    'budget-2026.xlwt.xls',
    'budget-2026.libreoffice.ods',
  ])('gives %s sheet by sheet', async (file) => {
    expect(await labelsOf(file)).toEqual(['sheet Costs', 'sheet Income', 'sheet Notes']);
  });

  it.each(['stock-list.openpyxl.xlsx', 'stock-list.libreoffice.xls', 'stock-list.libreoffice.ods'])(
    'cuts the long sheet of %s into parts that name their rows and repeat the head',
    async (file) => {
      const parts = await partsOf(file);
      expect(parts[0]?.label).toMatch(/^sheet Stock, rows 1 to \d+ of 261$/);
      expect(parts.at(-1)?.label).toMatch(/^sheet Stock, rows \d+ to 261 of 261$/);
      for (const { text } of parts) expect(text).toMatch(/^\| Article \| Description \|.*\n\| ---/);
    },
  );

  it.each([
    'kickoff-slides.pandoc.pptx',
    'strategy-slides.libreoffice.pptx',
    'training-slides.python-pptx.pptx',
    'kickoff-slides.libreoffice.ppt',
    'strategy-slides.libreoffice.odp',
  ])('gives %s slide by slide, each under its title', async (file) => {
    const parts = await partsOf(file);
    expect(parts.map(({ label }) => label)).toEqual([1, 2, 3, 4, 5].map((n) => `slide ${n}`));
    for (const { text } of parts) expect(text).toMatch(/^# \S/);
  });

  it.each(['kickoff-slides.pandoc.pptx', 'kickoff-slides.libreoffice.ppt', 'kickoff-slides.libreoffice.odp'])(
    'keeps what the speaker of %s notes beside the slide it belongs to',
    async (file) => {
      const [, second, third] = await partsOf(file);
      expect(second?.text).toMatch(/Notes:\s+Say clearly that the fishing boats/);
      expect(third?.text).not.toContain('Notes:');
    },
  );

  it.each([
    'lease-contract.libreoffice.docx',
    'lease-contract.pandoc.docx',
    'lease-contract.libreoffice.doc',
    'lease-contract.pandoc.html',
  ])('gives %s section by section', async (file) => {
    const parts = await partsOf(file);
    const rent = parts.find(({ label }) => label.endsWith('3. Rent'));
    expect(rent?.label).toBe('section 3. Rent');
    expect(rent?.text).toMatch(/^#{1,3} 3\. Rent\n\nThe yearly rent is £84,600/);
  });

  it('counts the lines of source code, and cuts a long text at empty lines', async () => {
    const [code] = await partsOf('route_planner.editor.py');
    expect(code).toMatchObject({ label: 'lines 1-44', firstLine: 1 });
    const manual = await partsOf('service-manual.editor.md');
    expect(manual.length).toBeGreaterThan(5);
    const lines = sample('service-manual.editor.md').bytes().toString().split('\n');
    for (const { label, text, firstLine = 0 } of manual) {
      const [from, to] = (/^lines (\d+)-(\d+)$/.exec(label) ?? []).slice(1).map(Number);
      expect(from).toBe(firstLine);
      expect(text).toBe(lines.slice(firstLine - 1, to).join('\n'));
    }
  });
});

describe('headings, tables, lists and notes', () => {
  it.each([
    'board-minutes-march.libreoffice.docx',
    'board-minutes-march.python-docx.docx',
    'board-minutes-march.libreoffice.rtf',
    'board-minutes-march.libreoffice.html',
    'board-minutes-march.chromium.pdf',
  ])('keeps headings and the table of %s', async (file) => {
    const text = await textOf(file);
    expect(text).toMatch(/^#{1,2} Minutes of the Board Meeting of 18 March 2026$/m);
    expect(text).toMatch(/^#{2,3} 4\. Cybersecurity$/m);
    expect(text).toContain(
      [
        '| Number | Action | Who | Until |',
        '| --- | --- | --- | --- |',
        '| A1 | Write to Vantaa Logistics | Menon | 25 March 2026 |',
        '| A2 | Sign the deed in Riga | Okafor | 30 April 2026 |',
      ].join('\n'),
    );
  });

  it.each(['lab-protocol.libreoffice.doc', 'lab-protocol.libreoffice.odt', 'travel-policy.pandoc.rtf'])(
    'keeps the table of %s',
    async (file) => {
      expect(await textOf(file)).toMatch(/^\| (Kind of tea|City) \|.*\n\| --- \| --- \| --- \|\n\| (Assam|Geneva) \|/m);
    },
  );

  it('keeps a table of a PDF whose cells have several lines', async () => {
    expect(await textOf('invoice.reportlab.pdf')).toContain(
      '| 1 | Restoration of carriage door panels | 14 | 186.00 | 2,604.00 |',
    );
  });

  it('reads the columns of a PDF one after the other', async () => {
    const text = await textOf('press-release.reportlab-columns.pdf');
    expect(text).toContain('three knots," said Leocadia Suárez, the managing director.');
    expect(text).not.toContain('|');
  });

  it.each(['lab-protocol.libreoffice.doc', 'employment-contract.libreoffice.rtf', 'incident-report.libreoffice.odt'])(
    'keeps the list of %s',
    async (file) => {
      expect(await textOf(file)).toMatch(/^- \S.+\n- \S/m);
    },
  );

  it('puts a footnote behind the paragraph that refers to it', async () => {
    for (const file of ['research-summary.libreoffice.docx', 'research-summary.libreoffice.odt']) {
      expect(await textOf(file), file).toMatch(
        /2025\.\[\^\d\] It asked [^\n]+\n\n\[\^\d\]: Permission was given by nineteen/,
      );
    }
  });

  it('shows numbers and dates of a sheet as its reader sees them', async () => {
    for (const type of ['openpyxl.xlsx', 'libreoffice.xls', 'xlwt.xls', 'libreoffice.ods']) {
      expect(await textOf(`budget-2026.${type}`), type).toContain(
        '| Research | Okonkwo | 2025-12-04 | 1,250,000.00 | 312,480.50 | 25% |',
      );
    }
  });

  it('names the footer of a document, but no mere page number', async () => {
    expect(await labelsOf('invoice.python-docx.docx')).toContain('footer');
    expect(await labelsOf('research-summary.libreoffice.docx')).not.toContain('footer');
  });

  it('tells the page of a scan from the next', async () => {
    const [receipt, notice] = await partsOf('receipt.scan.pdf');
    expect(receipt).toMatchObject({ label: 'page 1', text: expect.stringContaining('Paid by card ending 8812') });
    expect(notice).toMatchObject({ label: 'page 2', text: expect.stringContaining('NOTICE TO ALL TENANTS') });
  });

  it('tells faxes of one size by their pages', async () => {
    const bytes = readFileSync(join(import.meta.dirname, 'samples/faxes/pages.pillow.pdf'));
    const { parts } = await documents.read({ bytes, name: 'pages.pdf' });
    expect(parts).toMatchObject([
      { label: 'page 1', text: expect.stringContaining('Market Street') },
      { label: 'page 2', text: expect.stringContaining('NOTICE TO ALL TENANTS') },
      { label: 'page 3', text: expect.stringContaining('Larch Avenue') },
    ]);
  });

  it('keeps apart what Word and a page hide, and nothing around it', async () => {
    const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
    const hidden = run('never', '<w:vanish/>') + run('shown', '<w:vanish w:val="0"/>');
    const docx = docxOf(
      `<w:document><w:body><w:p>${run('before ')}${hidden}${run(' after')}</w:p></w:body></w:document>`,
    );
    expect((await documents.read({ bytes: docx, name: 'a.docx' })).parts).toMatchObject([
      { text: 'before shown after' },
      { text: 'never', hidden: true },
    ]);
    const page =
      '<p>one</p><div style="color:red;DISPLAY : none"><p>never<br>at all</p><table><tr><td>x</table></div><p hidden>no</p><p>two</p>';
    const html = await documents.read({ bytes: Buffer.from(page), name: 'a.html' });
    expect(html.parts).toMatchObject([{ text: 'one\n\ntwo' }, { text: 'never at all x\n\nno', hidden: true }]);
  });

  describe('of HTML', () => {
    const divided = async (body: string, head = '') => {
      const bytes = Buffer.from(`<html><head>${head}</head><body><p>first</p>${body}</body></html>`);
      const { parts } = await documents.read({ bytes, name: 'a.html' });
      const textOf = (hidden: boolean) =>
        parts.filter((part) => (part.hidden ?? false) === hidden).map(({ text }) => text.replaceAll('\n\n', ' '));
      return { seen: textOf(false), unseen: textOf(true) };
    };

    it.each([
      ['white on white', '<p style="color:#FFF">x</p>'],
      ['white in a font element', '<p><font color="White">x</font></p>'],
      ['of the color behind it', '<div style="background: #102030"><p style="color: rgb(16, 32, 48)">x</p></div>'],
      ['under 3 pt', '<p style="font-size:2.5pt !important">x</p>'],
      ['under 4 px, within', '<div style="font-size:1px"><p>x</p></div>'],
      ['switched off by a class', '<p class="a b">x</p>', '<style>/* .a{} */ .b, .c { display: none }</style>'],
      ['switched off by an id', '<p id="i">x</p>', '<style>@import url(y.css); #i{visibility:hidden}</style>'],
      ['white by a class', '<p class="w">x</p>', '<style>.w{color:#ffffff}</style>'],
    ])('is text %s', async (_, body, head = '') => {
      expect(await divided(`${body}<p>last</p>`, head)).toEqual({ seen: ['first last'], unseen: ['x'] });
    });

    it.each([
      ['white on a color', '<p style="color:#fff;background:navy">x</p>'],
      ['white in a colored cell', '<table><tr bgcolor="#003"><td style="color:white">x</td></tr></table>'],
      [
        'white where a style sheet elsewhere may color',
        '<p style="color:#fff">x</p>',
        '<link rel="stylesheet" href="a.css">',
      ],
      ['white where a rule may color', '<p style="color:#fff">x</p>', '<style>body p{background:#003}</style>'],
      ['white over a picture', '<p style="position:absolute;color:#fff">x</p>'],
      ['with a size of its own', '<ul style="font-size:0"><li style="font-size:14px">x</li></ul>'],
      [
        'that another rule shows',
        '<p class="tab open">x</p>',
        '<style>.tab{display:none}.tab.open{display:block}</style>',
      ],
      ['that is off on paper only', '<p class="a">x</p>', '<style>@media print{.a{display:none}}</style>'],
      ['that is off without scripts', '<p class="a">x</p>', '<noscript><style>.a{display:none}</style></noscript>'],
      [
        'with a style that overrules its class',
        '<p class="a" style="display:block">x</p>',
        '<style>.a{display:none}</style>',
      ],
    ])('is not text %s', async (_, body, head = '') => {
      const { seen, unseen } = await divided(body, head);
      expect(seen.join(' ')).toContain('x');
      expect(unseen).toEqual([]);
    });
  });
});
