import { describe, expect, it } from 'vitest';
import { zipOf } from './made.ts';
import { opened } from './opened.ts';

const documents = opened();

type Relation = { id: string; type: string; target: string };
const relationsFile = (part: string, relations: Relation[]) => ({
  name: part.replace(/([^/]+)$/, '_rels/$1.rels'),
  body: `<Relationships>${relations.map(({ id, type, target }) => `<Relationship Id="${id}" Type="x/${type}" Target="/${target}"/>`).join('')}</Relationships>`,
});
const TYPES = { name: '[Content_Types].xml', body: '<Types/>' };

const points = (name: string, texts: (string | number)[]) =>
  `<c:${name}><c:strRef><c:strCache>${texts.map((text, at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`).join('')}</c:strCache></c:strRef></c:${name}>`;
const title = (text: string) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const CHART = `<c:chartSpace><c:chart>${title('Tonnes per pit')}<c:plotArea><c:barChart>
<c:ser>${points('tx', ['2024'])}${points('cat', ['North', 'South'])}${points('val', [5, 7])}</c:ser>
<c:ser>${points('tx', ['2025'])}${points('cat', ['North', 'South'])}${points('val', [6, 8])}</c:ser>
</c:barChart><c:catAx>${title('Pit')}</c:catAx></c:plotArea></c:chart></c:chartSpace>`;
const CHART_TEXT = [
  '[Chart: Tonnes per pit]',
  '[Axes: Pit]',
  '|  | 2024 | 2025 |\n| --- | --- | --- |\n| North | 5 | 6 |\n| South | 7 | 8 |',
];
const chartFrame = (properties: string) =>
  `<p:graphicFrame><p:nvGraphicFramePr>${properties}</p:nvGraphicFramePr><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></p:graphicFrame>`;

type Slide = { shapes: string; attributes?: string; comments?: string };

function pptx(slides: Slide[], authors = ''): Buffer {
  const main = 'ppt/presentation.xml';
  return zipOf([
    TYPES,
    {
      name: main,
      body: `<p:presentation>${slides.map((_, at) => `<p:sldId r:id="s${at}"/>`).join('')}</p:presentation>`,
    },
    relationsFile(main, [
      { id: 'a', type: 'authors', target: 'ppt/authors.xml' },
      ...slides.map((_, at) => ({ id: `s${at}`, type: 'slide', target: `ppt/slides/s${at}.xml` })),
    ]),
    { name: 'ppt/authors.xml', body: authors || '<p:none/>' },
    { name: 'ppt/chart.xml', body: CHART },
    ...slides.flatMap(({ shapes, attributes = '', comments }, at) => [
      {
        name: `ppt/slides/s${at}.xml`,
        body: `<p:sld ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      relationsFile(`ppt/slides/s${at}.xml`, [
        { id: 'c', type: 'chart', target: 'ppt/chart.xml' },
        ...(comments === undefined ? [] : [{ id: 'm', type: 'comments', target: `ppt/comments${at}.xml` }]),
      ]),
      ...(comments === undefined ? [] : [{ name: `ppt/comments${at}.xml`, body: comments }]),
    ]),
  ]);
}

const shape = (runs: string, properties = '<p:cNvPr id="1"/>') =>
  `<p:sp><p:nvSpPr>${properties}</p:nvSpPr><p:txBody><a:p>${runs}</a:p></p:txBody></p:sp>`;
const run = (text: string, properties = '') => `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`;
const partsOf = async (bytes: Buffer, name: string) => (await documents.read({ bytes, name })).parts;

describe('a text document', () => {
  const docx = (body: string, files: { type: string; name: string; body: string }[] = []) =>
    zipOf([
      TYPES,
      { name: 'word/document.xml', body: `<w:document><w:body>${body}</w:body></w:document>` },
      relationsFile(
        'word/document.xml',
        files.map(({ type, name }) => ({ id: type, type, target: `word/${name}` })),
      ),
      ...files.map(({ name, body: own }) => ({ name: `word/${name}`, body: own })),
    ]);
  const words = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
  const WHITE = '<w:color w:val="FFFFFF"/>';

  it('has its charts, diagrams and alternative texts where they stand', async () => {
    const drawing = (content: string) =>
      `<w:r><w:drawing><wp:docPr id="1" descr="What is seen"/><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></w:drawing></w:r>`;
    const body = [
      paragraph(words('before') + drawing('<c:chart r:id="chart"/>')),
      `<w:tbl><w:tr><w:tc>${paragraph(words('cell') + drawing('<dgm:relIds r:dm="diagramData"/>'))}</w:tc></w:tr></w:tbl>`,
      paragraph(words('after')),
    ].join('');
    const [part] = await partsOf(
      docx(body, [
        { type: 'chart', name: 'chart.xml', body: CHART },
        {
          type: 'diagramData',
          name: 'd.xml',
          body: '<dgm:dataModel><a:p><a:r><a:t>Dig</a:t></a:r></a:p><a:p><a:r><a:t>Sieve</a:t></a:r></a:p></dgm:dataModel>',
        },
      ]),
      'a.docx',
    );
    expect(part?.text).toBe(
      [
        'before',
        '[Picture: What is seen]',
        ...CHART_TEXT,
        '| cell |\n| --- |',
        '[Picture: What is seen]',
        '- Dig\n- Sieve',
        'after',
      ].join('\n\n'),
    );
  });

  it('has comments with their authors and the text that they are about', async () => {
    const range = (end: 'Start' | 'End') => `<w:commentRange${end} w:id="7"/>`;
    const secret = words('unseen', '<w:vanish/>');
    const body = paragraph(
      `${words('The ')}${range('Start')}${words('yearly rent')}${secret}${range('End')}${words(' is due.')}`,
    );
    const comment = (id: number, text: string) =>
      `<w:comment w:id="${id}" w:author="Reed">${paragraph(words(text))}</w:comment>`;
    const list = `<w:comments>${comment(7, 'How much?')}${comment(8, 'Nowhere')}</w:comments>`;
    const parts = await partsOf(docx(body, [{ type: 'comments', name: 'c.xml', body: list }]), 'a.docx');
    expect(parts.at(-1)).toEqual({
      label: 'comments',
      text: '[Comment by Reed on “yearly rent”: How much?]\n[Comment by Reed: Nowhere]',
    });
  });

  it('has hidden, white and tiny text apart', async () => {
    const styles = `<w:styles><w:style w:styleId="Ghost"><w:rPr>${WHITE}</w:rPr></w:style></w:styles>`;
    const heading = paragraph(words('Rent'), '<w:outlineLvl w:val="0"/>');
    const body = [
      heading,
      paragraph(words('seen ') + words('white', WHITE) + words('tiny', '<w:sz w:val="4"/>')),
      paragraph(words('ghost'), '<w:pStyle w:val="Ghost"/>'),
      paragraph(words('no ghost', '<w:color w:val="000000"/>'), '<w:pStyle w:val="Ghost"/>'),
    ].join('');
    const parts = await partsOf(docx(body, [{ type: 'styles', name: 's.xml', body: styles }]), 'a.docx');
    expect(parts).toEqual([
      { label: 'section Rent', text: '# Rent\n\nseen\n\nno ghost' },
      { label: 'section Rent (hidden)', text: 'whitetiny\n\nghost', hidden: true },
    ]);
  });

  it('shows white text that stands on a color', async () => {
    const shade = '<w:shd w:val="clear" w:fill="1F3864"/>';
    const cell = (content: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(content)}</w:tc>`;
    const table = (style: string, cells: string) => `<w:tbl><w:tblPr>${style}</w:tblPr><w:tr>${cells}</w:tr></w:tbl>`;
    const body = [
      paragraph(words('one', WHITE + shade) + words(' two', `${WHITE}<w:highlight w:val="black"/>`)),
      paragraph(words('three', WHITE), shade),
      table('', cell(words('four', WHITE), shade) + cell(words('never', WHITE))),
      table('<w:tblStyle w:val="GridTable5Dark"/>', cell(words('five', WHITE))),
      paragraph(`<w:r><w:pict><w:txbxContent>${paragraph(words('six', WHITE))}</w:txbxContent></w:pict></w:r>`),
    ].join('');
    const parts = await partsOf(docx(body), 'a.docx');
    expect(parts[0]?.text).toBe('one two\n\nthree\n\n| four |  |\n| --- | --- |\n\n| five |\n| --- |\n\nsix');
    expect(parts[1]).toMatchObject({ text: 'never', hidden: true });
  });
});

describe('an OpenDocument file', () => {
  const open = (kind: 'text' | 'presentation', styles: string, content: string) =>
    zipOf([
      { name: 'mimetype', body: `application/vnd.oasis.opendocument.${kind}`, stored: true },
      {
        name: 'content.xml',
        body: `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
      },
    ]);
  const style = (name: string, properties: string) => `<style:style style:name="${name}">${properties}</style:style>`;

  it('has comments and alternative texts where they stand', async () => {
    const comment =
      '<office:annotation><dc:creator>Reed</dc:creator><dc:date>2026-01-09</dc:date><text:p>How much?</text:p></office:annotation>';
    const frame = '<draw:frame><draw:image/><svg:title>Crane</svg:title><svg:desc>in the fog</svg:desc></draw:frame>';
    const body = `<text:p>The rent${comment} is due.${frame}</text:p><text:p>after</text:p>`;
    const [part] = await partsOf(open('text', '', body), 'a.odt');
    expect(part?.text).toBe('The rent is due.\n\n[Comment: Reed: How much?]\n\n[Picture: Crane: in the fog]\n\nafter');
  });

  it('has hidden, white and tiny text apart', async () => {
    const text = (properties: string) => `<style:text-properties ${properties}/>`;
    const styles = [
      style('off', text('text:display="none"')),
      style('white', text('fo:color="#ffffff"')),
      style('box', text('fo:color="#ffffff" fo:background-color="#1f3864"')),
      style('tiny', text('fo:font-size="1pt"')),
    ].join('');
    const span = (name: string, words: string) => `<text:span text:style-name="${name}">${words}</text:span>`;
    const body = `<text:p>seen ${span('off', 'off ')}${span('white', 'white ')}${span('box', 'boxed')}</text:p><text:p text:style-name="tiny">tiny</text:p><text:section text:display="none"><text:p>section</text:p></text:section>`;
    const parts = await partsOf(open('text', styles, body), 'a.odt');
    expect(parts).toMatchObject([
      { text: 'seen boxed' },
      { label: 'paragraph 1 (hidden)', text: 'off white\n\ntiny\n\nsection', hidden: true },
    ]);
  });

  it('has hidden slides apart', async () => {
    const styles = style('dp1', '<style:drawing-page-properties presentation:visibility="hidden"/>');
    const page = (name: string, text: string) =>
      `<draw:page draw:style-name="${name}"><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
    const parts = await partsOf(open('presentation', styles, page('dp0', 'seen') + page('dp1', 'left out')), 'a.odp');
    expect(parts).toEqual([
      { label: 'slide 1', text: 'seen' },
      { label: 'slide 2 (hidden)', text: 'left out', hidden: true },
    ]);
  });
});

describe('a slide', () => {
  it('has its charts and alternative texts', async () => {
    const picture = '<p:pic><p:nvPicPr><p:cNvPr id="2" descr="A crane in the fog"/></p:nvPicPr></p:pic>';
    const [slide] = await partsOf(pptx([{ shapes: picture + chartFrame('<p:cNvPr id="3"/>') }]), 'a.pptx');
    expect(slide?.text).toBe(['[Picture: A crane in the fog]', ...CHART_TEXT].join('\n\n'));
  });

  it('has its comments of the old and the new kind, with replies and authors', async () => {
    const old = '<p:cmLst><p:cm authorId="1"><p:text>Too long</p:text></p:cm></p:cmLst>';
    const body = (text: string) => `<p188:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p188:txBody>`;
    const thread = `<p188:cmLst><p188:cm authorId="{2}"><p188:replyLst><p188:reply authorId="1">${body('Done')}</p188:reply></p188:replyLst>${body('Wrong year')}</p188:cm></p188:cmLst>`;
    const authors =
      '<p188:authorLst><p188:author id="1" name="Moss"/><p188:author id="{2}" name="Reed"/></p188:authorLst>';
    const slides = [old, thread].map((comments) => ({ shapes: shape(run('Plan')), comments }));
    expect((await partsOf(pptx(slides, authors), 'a.pptx')).map(({ text }) => text)).toEqual([
      'Plan\n\n[Comment by Moss: Too long]',
      'Plan\n\n[Comment by Reed: Wrong year]\n\n[Comment by Moss: Done]',
    ]);
  });

  it('has tiny text, switched-off shapes and hidden slides apart', async () => {
    const off = shape(run('switched off'), '<p:cNvPr id="1" hidden="1"/>');
    const slides = [
      { shapes: shape(run('seen') + run('tiny', 'sz="100"')) + off },
      { shapes: shape(run('left out')), attributes: 'show="0"' },
    ];
    expect(await partsOf(pptx(slides), 'a.pptx')).toEqual([
      { label: 'slide 1', text: 'seen' },
      { label: 'slide 1 (hidden)', text: 'tiny\n\nswitched off', hidden: true },
      { label: 'slide 2 (hidden)', text: 'left out', hidden: true },
    ]);
  });
});

describe('a sheet', () => {
  it('has its text boxes, charts and alternative texts with their cells', async () => {
    const anchor = (row: number, column: number, body: string) =>
      `<xdr:twoCellAnchor><xdr:from><xdr:col>${column}</xdr:col><xdr:row>${row}</xdr:row></xdr:from>${body}</xdr:twoCellAnchor>`;
    const drawing = `<xdr:wsDr>${anchor(7, 1, shape(run('Review the south')))}${anchor(4, 4, chartFrame('<xdr:cNvPr id="1" descr="Bars"/>'))}</xdr:wsDr>`;
    const bytes = zipOf([
      TYPES,
      { name: 'xl/workbook.xml', body: '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>' },
      relationsFile('xl/workbook.xml', [{ id: 'r1', type: 'worksheet', target: 'xl/s.xml' }]),
      { name: 'xl/s.xml', body: '<worksheet><row r="1"><c r="A1" t="str"><v>x</v></c></row></worksheet>' },
      relationsFile('xl/s.xml', [{ id: 'd', type: 'drawing', target: 'xl/d.xml' }]),
      { name: 'xl/d.xml', body: drawing },
      relationsFile('xl/d.xml', [{ id: 'c', type: 'chart', target: 'xl/c.xml' }]),
      { name: 'xl/c.xml', body: CHART },
    ]);
    const [, drawings] = await partsOf(bytes, 'a.xlsx');
    expect(drawings).toEqual({
      label: 'sheet A, drawings',
      text: ['[At B8]', 'Review the south', '[At E5]', '[Picture: Bars]', ...CHART_TEXT].join('\n\n'),
    });
  });
});

describe('a hostile drawing', { timeout: 60_000 }, () => {
  it('of a million points is cut', async () => {
    const chart = CHART.replace('<c:v>North</c:v></c:pt>', `$&${'<c:pt idx="9"><c:v>x</c:v></c:pt>'.repeat(200_000)}`);
    const series = `<c:ser>${points('val', [1, 2, 3])}</c:ser>`.repeat(50_000);
    const bytes = zipOf([
      TYPES,
      { name: 'ppt/presentation.xml', body: '<p:presentation><p:sldId r:id="s"/></p:presentation>' },
      relationsFile('ppt/presentation.xml', [{ id: 's', type: 'slide', target: 'ppt/s.xml' }]),
      { name: 'ppt/s.xml', body: `<p:sld><p:cSld><p:spTree>${chartFrame('<p:cNvPr/>')}</p:spTree></p:cSld></p:sld>` },
      relationsFile('ppt/s.xml', [{ id: 'c', type: 'chart', target: 'ppt/c.xml' }]),
      { name: 'ppt/c.xml', body: chart.replace('</c:barChart>', `${series}$&`) },
    ]);
    const [slide] = await partsOf(bytes, 'a.pptx');
    expect(slide?.text.length).toBeLessThan(200_000);
    expect(slide?.text).toContain('[Chart: Tonnes per pit]');
  });
});

describe('a document within a DOCX', () => {
  const chunk = (name: string, body: string) =>
    zipOf([
      TYPES,
      {
        name: 'word/document.xml',
        body: '<w:document><w:body><w:p><w:r><w:t>Before.</w:t></w:r></w:p><w:altChunk r:id="c1"/><w:p><w:r><w:t>After.</w:t></w:r></w:p></w:body></w:document>',
      },
      relationsFile('word/document.xml', [{ id: 'c1', type: 'aFChunk', target: `word/${name}` }]),
      { name: `word/${name}`, body },
    ]);

  it('is read where it stands, with what it hides apart', async () => {
    const html = '<html><body><p>The fee is 40 EUR.</p><p style="display:none">It is 400 EUR.</p></body></html>';
    const { parts } = await documents.read({ bytes: chunk('part.html', html), name: 'a.docx' });
    expect(parts.find(({ hidden }) => !hidden)?.text).toBe('Before.\n\nThe fee is 40 EUR.\n\nAfter.');
    expect(parts.find(({ hidden }) => hidden)?.text).toBe('It is 400 EUR.');
  });

  it('is left out if it is of another type', async () => {
    const { parts } = await documents.read({ bytes: chunk('part.bin', '\u0001\u0000\u0002'), name: 'a.docx' });
    expect(parts.map(({ text }) => text)).toEqual(['Before.\n\nAfter.']);
  });
});
