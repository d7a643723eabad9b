import { describe, expect, it } from 'vitest';
import { docOf, zipOf } from './file-builders.ts';
import { sample } from './samples.ts';
import { openReader } from './setup.ts';

const documents = openReader();

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

function pptx(slides: Slide[], authors = '', size = ''): Buffer {
  const main = 'ppt/presentation.xml';
  return zipOf([
    TYPES,
    {
      name: main,
      body: `<p:presentation>${slides.map((_, at) => `<p:sldId r:id="s${at}"/>`).join('')}${size}</p:presentation>`,
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
  const open = (kind: 'text' | 'presentation', styles: string, content: string, common = '') =>
    zipOf([
      { name: 'mimetype', body: `application/vnd.oasis.opendocument.${kind}`, stored: true },
      {
        name: 'content.xml',
        body: `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
      },
      {
        name: 'styles.xml',
        body: `<office:document-styles><office:styles>${common}</office:styles></office:document-styles>`,
      },
    ]);
  const style = (name: string, properties: string, parent = '') =>
    `<style:style style:name="${name}" style:parent-style-name="${parent}">${properties}</style:style>`;

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

  it('has text apart that a common style of the document or its parent hides', async () => {
    const white = '<style:text-properties fo:color="#ffffff"/>';
    const common = style('ghost', white) + style('loud', '<style:text-properties fo:color="#000000"/>', 'ghost');
    const own = style('P1', '<style:paragraph-properties fo:margin-top="0"/>', 'ghost');
    const body = ['ghost', 'loud', 'P1'].map((name) => `<text:p text:style-name="${name}">${name}</text:p>`).join('');
    const parts = await partsOf(open('text', own, body, common), 'a.odt');
    expect(parts).toMatchObject([{ text: 'loud' }, { text: 'ghost\n\nP1', hidden: true }]);
  });

  it('has hidden and tiny text of tables and titles apart, and white text on a shape in its place', async () => {
    const text = (properties: string) => `<style:text-properties ${properties}/>`;
    const styles =
      style('tiny', text('fo:font-size="1pt"')) +
      style('off', text('text:display="none"')) +
      style('white', text('fo:color="#ffffff"'));
    const p = (words: string, name = '') => `<text:p text:style-name="${name}">${words}</text:p>`;
    const span = (name: string, words: string) => `<text:span text:style-name="${name}">${words}</text:span>`;
    const table = `<table:table><table:table-row><table:table-cell>${p('cell')}${p('small cell', 'tiny')}</table:table-cell></table:table-row></table:table>`;
    const title = `<draw:frame presentation:class="title"><draw:text-box>${p(`Plan${span('off', 'off')}`)}</draw:text-box></draw:frame>`;
    const frame = (words: string) => `<draw:frame><draw:text-box>${words}</draw:text-box></draw:frame>`;
    const slide = `<draw:page>${title}${frame(table)}${frame(p('white', 'white') + p('tiny', 'tiny'))}</draw:page>`;
    expect(await partsOf(open('presentation', styles, slide), 'a.odp')).toEqual([
      { label: 'slide 1', text: '# Plan\n\n| cell |\n| --- |\n\nwhite' },
      { label: 'slide 1 (hidden)', text: 'off\n\nsmall cell\n\ntiny', hidden: true },
    ]);
    expect(await partsOf(open('text', styles, table), 'a.odt')).toMatchObject([
      { text: '| cell |\n| --- |' },
      { text: 'small cell', hidden: true },
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

  it('has hidden, white and tiny text of an RTF apart, and white text on a color in its place', async () => {
    const colors = '{\\colortbl;\\red255\\green255\\blue254;\\red0\\green0\\blue128;}';
    const rtf = (body: string) => Buffer.from(`{\\rtf1\\ansi${colors}\\pard\\fs24 ${body}}`, 'latin1');
    const body = [
      'Seen {\\v off} and {\\cf1 white }{\\fs5 tiny} end{\\v0 .}\\par',
      "{\\plain\\v \\'e9\\u8364 ?}\\pard\\cbpat2\\cf1 White on blue\\par",
      '\\pard\\plain {\\cf1\\highlight2 marked}{\\footnote note{\\v secret}}\\par',
      '\\trowd\\cellx1\\cellx2\\pard\\intbl one\\cell {\\cf1 ghost}two\\cell\\row',
      '\\trowd\\clcbpat2\\cellx1\\clcbpat2\\cellx2\\pard\\intbl\\cf1 head\\cell row\\cell\\row\\pard\\par',
    ].join('\n');
    expect(await partsOf(rtf(body), 'a.rtf')).toEqual([
      {
        label: 'paragraphs 1-5',
        text: 'Seen and end.\n\nWhite on blue\n\nmarked\n\nNote: note\n\n| one | two |\n| --- | --- |\n| head | row |',
      },
      { label: 'paragraphs 1-5 (hidden)', text: 'offwhite tiny\n\né€\n\nsecret\n\nghost', hidden: true },
    ]);
    expect(await partsOf(rtf('{\\*\\background x}{\\cf1 on a page of a color}'), 'a.rtf')).toHaveLength(1);
  });

  it('shows text of an RTF that may not be white on white', async () => {
    const colors = '{\\colortbl\\red255\\green255\\blue255;\\red0\\green0\\blue0;\\red255\\green255\\blue255;}';
    const read = (body: string) => partsOf(Buffer.from(`{\\rtf1\\ansi${colors}${body}}`, 'latin1'), 'a.rtf');
    const nested = '{\\*\\nesttableprops\\trowd\\clcbpat1\\cellx2\\nestrow}';
    const shown = [
      'one',
      '\\pard\\cf0 one',
      '\\trowd\\clshdng10000\\clcfpat1\\clcbpat2\\cellx3000\\pard\\intbl\\cf2 one\\cell\\row',
      '\\pard\\shading10000\\cfpat1\\cbpat2\\cf2 one',
      '\\pard\\chshdng10000\\chcfpat1\\chcbpat2\\cf2 one',
      `\\trowd\\cellx3000\\pard\\intbl\\itap2\\cf2 one\\nestcell${nested}\\pard\\intbl\\cell\\row`,
      `\\trowd\\clcbpat1\\cellx3000\\pard\\intbl\\itap2\\nestcell${nested.replace('\\clcbpat1', '')}\\pard\\intbl\\itap1\\cf2 one\\cell\\row`,
    ];
    const hides = async (body: string) => (await read(body)).some(({ hidden }) => hidden);
    expect(await Promise.all(shown.map(hides))).toEqual(shown.map(() => false));
    const ghosts = [
      '\\pard\\cf2 one',
      '\\pard\\shading10000\\pard\\chshdng10000\\plain\\cf2 one',
      `\\trowd\\cellx3000\\pard\\intbl\\itap2\\nestcell${nested}\\pard\\intbl\\cf2 one\\cell\\row`,
    ];
    expect(await Promise.all(ghosts.map(hides))).toEqual(ghosts.map(() => true));
  });

  it('has hidden, white and tiny text of a DOC apart, and white text on a color in its place', async () => {
    const [off, white, tiny] = ['3c0801', '422a08', '434a0500'];
    const [onBlue, onWhite] = ['000000ff000080000000', '000000ff00ffffff0000'];
    const cells = (words: string, fills: string) => [
      { runs: [[words, white]] as [string, string][], properties: '162401', mark: '\x07' },
      { runs: [], properties: `16240117240112d614${fills}`, mark: '\x07' },
    ];
    const bytes = docOf([
      { runs: [['Seen '], ['off ', off], ['white ', white], ['pale ', '7068fefffe00'], ['tiny ', tiny], ['end']] },
      { runs: [['marked', `${white}0c2a02`]] },
      { runs: [['on blue', white]], properties: `4dc60a${onBlue}` },
      { runs: [['on white', white]], properties: `4dc60a${onWhite}` },
      ...cells('head', onBlue + onWhite),
      ...cells('ghost', onWhite + onWhite),
    ]);
    expect(await partsOf(bytes, 'a.doc')).toEqual([
      { label: 'paragraphs 1-4', text: 'Seen end\n\nmarked\n\non blue\n\n| head |\n| --- |' },
      {
        label: 'paragraphs 1-4 (hidden)',
        text: 'off white pale tiny\n\non white\n\nghost',
        hidden: true,
      },
    ]);
  });

  it('has text of a DOC apart that its style hides, and shows what a style of characters or a fill makes seen', async () => {
    const [white, black, off] = ['422a08', '422a01', '3c0801'];
    const blue = '4dc60a000000ff000080000000';
    const bytes = docOf(
      [
        { runs: [['seen']] },
        { runs: [['ghost '], ['black', '304a0400']], style: '0100' },
        { runs: [['heir']], style: '0200' },
        { runs: [['on blue']], style: '0300' },
        { runs: [['plain '], ['off ', '304a0500'], ['on', '304a05003c0800']] },
        { runs: [['lost', white]], style: '6300' },
      ],
      [
        { kind: 1 },
        { kind: 1, parent: 0, look: white },
        { kind: 1, parent: 1 },
        { kind: 1, parent: 1, properties: blue },
        { kind: 2, look: black },
        { kind: 2, look: off },
      ],
    );
    const parts = await partsOf(bytes, 'a.doc');
    const words = (isHidden: boolean) =>
      parts.flatMap(({ text, hidden = false }) => (hidden === isHidden ? (text.match(/\p{L}+/gu) ?? []) : []));
    expect(words(true)).toEqual(['ghost', 'heir', 'off']);
    expect(words(false)).toEqual(['seen', 'black', 'on', 'blue', 'plain', 'on', 'lost']);
  });

  it('shows text of a DOC that may not be white on white', async () => {
    const white = (words: string, more: Partial<Parameters<typeof docOf>[0][number]> = {}) => ({
      runs: [[words, '422a08']] as [string, string][],
      ...more,
    });
    const [huge, innerRowEnd] = ['466600000000', '4c2401'];
    const [cell, rowEnd] = [
      { properties: '162401', mark: '\x07' },
      { properties: '162401172401', mark: '\x07' },
    ];
    const bytes = docOf([
      white('styled', { style: '1200' }),
      white('ghost'),
      white('huge', { properties: huge }),
      white('ghost'),
      white('outer', cell),
      { runs: [], properties: `162401${innerRowEnd}` },
      { runs: [], ...rowEnd },
      white('ghost'),
      white('far', cell),
      { runs: [], properties: huge, mark: '\x07' },
      white('ghost'),
      white('ghost cell', cell),
      { runs: [], ...rowEnd },
    ]);
    const parts = await partsOf(bytes, 'a.doc');
    expect(parts.map(({ text }) => text.match(/\w+/g)?.join(' '))).toEqual([
      'styled huge outer far',
      'ghost ghost ghost ghost ghost cell',
    ]);
    expect(parts.map(({ hidden }) => hidden)).toEqual([undefined, true]);
  });

  it('has hidden slides of a PPT apart', async () => {
    const name = 'kickoff-slides.libreoffice.ppt';
    const bytes = sample(name).bytes();
    const shown = await partsOf(bytes, name);
    // The head of the first SlideShowSlideInfoAtom, of 16 bytes.
    const at = bytes.indexOf(Buffer.from('0000f90310000000', 'hex'));
    expect(at).toBeGreaterThan(0);
    bytes.writeUInt16LE(bytes.readUInt16LE(at + 18) | 4, at + 18);
    const [first, ...others] = await partsOf(bytes, name);
    expect(first).toEqual({ label: 'slide 1 (hidden)', text: shown[0]?.text, hidden: true });
    expect(others).toEqual(shown.slice(1));
  });

  describe('with text in the color of what is behind it', () => {
    const color = (rgb: string) => `<a:solidFill><a:srgbClr val="${rgb}"/></a:solidFill>`;
    const schemeFill = (name: string) => `<a:solidFill><a:schemeClr val="${name}"/></a:solidFill>`;
    const coloredText = (text: string, fill: string) => `<a:r><a:rPr>${fill}</a:rPr><a:t>${text}</a:t></a:r>`;
    const place = (x: number, y: number, more = '') =>
      `<p:spPr><a:xfrm ${more}><a:off x="${x}" y="${y}"/><a:ext cx="100" cy="100"/></a:xfrm>`;
    const box = (runs: string, properties = '<p:spPr>', body = '') =>
      `<p:sp><p:nvSpPr><p:cNvPr id="1"/></p:nvSpPr>${properties}</p:spPr><p:txBody>${body}<a:p>${runs}</a:p></p:txBody></p:sp>`;
    const hiddenOf = async (bytes: Buffer) => {
      const parts = await partsOf(bytes, 'a.pptx');
      return parts.flatMap(({ text, hidden }) => (hidden ? text.split(/\s+/) : []));
    };
    const background = (fill: string) => `<p:bg><p:bgPr>${fill}</p:bgPr></p:bg>`;

    it('has it apart: on the slide, on a shape, on a marker, in a cell', async () => {
      const cell = (text: string, fill: string) =>
        `<a:tc><a:txBody><a:p>${coloredText(text, color('00ff00'))}</a:p></a:txBody><a:tcPr>${fill}</a:tcPr></a:tc>`;
      const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell('cell', color('00FF00'))}${cell('other', '')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
      const level = `<a:lstStyle><a:lvl1pPr><a:defRPr>${color('FFFFFF')}</a:defRPr></a:lvl1pPr></a:lstStyle>`;
      const shapes = [
        box(
          `${coloredText('page', color('FFFFFF'))}${coloredText('nearly', color('FAFBFC'))}${coloredText('gray', color('CCCCCC'))}`,
        ),
        box(run('inherited'), '<p:spPr>', level),
        box(coloredText('none', '<a:noFill/>')),
        box(coloredText('outlined', '<a:ln><a:solidFill/></a:ln><a:noFill/>') + coloredText('clear', '<a:gradFill/>')),
        box(coloredText('shape', color('1F3864')), `<p:spPr>${color('1f3864')}`),
        box(coloredText('white', color('FFFFFF')), `<p:spPr>${color('1f3864')}`),
        box(coloredText('marked', `${color('FFFF00')}<a:highlight><a:srgbClr val="FFFF00"/></a:highlight>`)),
        box(coloredText('marker', `${color('FFFFFF')}<a:highlight><a:srgbClr val="000000"/></a:highlight>`)),
        table,
      ];
      // Shapes without a place might stand on one another.
      const found = await Promise.all(shapes.map((one) => hiddenOf(pptx([{ shapes: one }]))));
      expect(found).toEqual([['pagenearly'], ['inherited'], ['none'], [], ['shape'], [], ['marked'], [], ['cell']]);
    });

    it('shows it where a picture or a colored shape may be behind it', async () => {
      const white = (at: string) => box(coloredText('white', color('FFFFFF')), at);
      const picture = (at: string) => `<p:pic><p:nvPicPr><p:cNvPr id="2"/></p:nvPicPr>${at}</p:spPr></p:pic>`;
      const group = (inside: string) => `<p:grpSp><p:nvGrpSpPr/>${inside}</p:grpSp>`;
      const found = await Promise.all(
        [
          picture(place(0, 0)) + white(place(50, 50)),
          picture(place(0, 0)) + white(place(500, 50)),
          white(place(50, 50)) + picture(place(0, 0)),
          picture('<p:spPr>') + white(place(50, 50)),
          box('', `${place(0, 0)}${color('000000')}`) + white(place(50, 50)),
          group(picture(place(0, 0))) + white(place(500, 500)),
          `${background('<a:gradFill/>')}${white(place(0, 0))}`,
        ].map((shapes) => hiddenOf(pptx([{ shapes }]))),
      );
      expect(found.map(({ length }) => length)).toEqual([0, 1, 1, 0, 0, 0, 0]);
    });

    it('knows the colors, the background and the shapes of the theme, the master and the layout', async () => {
      const theme = (style: string) =>
        `<a:theme><a:clrScheme><a:dk1>${'<a:sysClr val="windowText" lastClr="000000"/>'}</a:dk1><a:lt1><a:srgbClr val="FFFFFF"/></a:lt1></a:clrScheme><a:bgFillStyleLst>${style}</a:bgFillStyleLst></a:theme>`;
      const plain = theme(schemeFill('phClr'));
      const master = `<p:sldMaster><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg><p:clrMap bg1="dk1" tx1="lt1"/></p:sldMaster>`;
      const banner = `<p:sldLayout><p:spTree><p:pic><p:nvPicPr/>${place(0, 0)}</p:spPr></p:pic></p:spTree></p:sldLayout>`;
      const show = (files: Record<'theme' | 'master' | 'layout', string>, shapes: string) =>
        zipOf([
          TYPES,
          { name: 'ppt/presentation.xml', body: '<p:presentation><p:sldId r:id="s"/></p:presentation>' },
          relationsFile('ppt/presentation.xml', [{ id: 's', type: 'slide', target: 'ppt/s.xml' }]),
          { name: 'ppt/s.xml', body: `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>` },
          relationsFile('ppt/s.xml', [{ id: 'l', type: 'slideLayout', target: 'ppt/l.xml' }]),
          { name: 'ppt/l.xml', body: files.layout },
          relationsFile('ppt/l.xml', [{ id: 'm', type: 'slideMaster', target: 'ppt/m.xml' }]),
          { name: 'ppt/m.xml', body: files.master },
          relationsFile('ppt/m.xml', [{ id: 't', type: 'theme', target: 'ppt/t.xml' }]),
          { name: 'ppt/t.xml', body: files.theme },
        ]);
      const files = { theme: plain, master, layout: '<p:sldLayout/>' };
      const words = box(
        coloredText('black ', color('000000')) +
          coloredText('named ', schemeFill('bg1')) +
          coloredText('white', schemeFill('tx1')),
        place(50, 50),
      );
      const title = '<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>';
      expect(await hiddenOf(show(files, words))).toEqual(['black', 'named']);
      expect(await hiddenOf(show({ ...files, theme: theme('<a:gradFill/>') }, words))).toEqual([]);
      expect(await hiddenOf(show({ ...files, layout: banner }, words))).toEqual([]);
      expect(await hiddenOf(show({ ...files, layout: banner }, words.replace('x="50"', 'x="500"')))).toHaveLength(2);
      const placeholder = words.replace('x="50"', 'x="500"').replace(/^.*?<\/p:nvSpPr>/, `${title}`);
      expect(await hiddenOf(show(files, placeholder))).toEqual(['black', 'named']);
      expect(await hiddenOf(show({ ...files, layout: banner }, placeholder))).toEqual([]);
      const remapped = `${words}<p:clrMapOvr><a:overrideClrMapping bg1="lt1" tx1="dk1"/></p:clrMapOvr>`;
      expect(await hiddenOf(show(files, remapped))).toEqual([]);
    });

    it('marks what stands wholly behind a later plain rectangle or photo', async () => {
      const rect = '<a:prstGeom prst="rect"/>';
      const words = (at = place(50, 50)) => box(run('behind'), at);
      const cover = (at: string) => box(run('before'), at);
      const photo = `<p:pic><p:nvPicPr><p:cNvPr id="2"/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/></p:blipFill>${place(50, 50)}${rect}</p:spPr></p:pic>`;
      const slide = (shapes: string, picture: string, more = '') =>
        zipOf([
          TYPES,
          { name: 'ppt/presentation.xml', body: '<p:presentation><p:sldId r:id="s"/></p:presentation>' },
          relationsFile('ppt/presentation.xml', [{ id: 's', type: 'slide', target: 'ppt/s.xml' }]),
          { name: 'ppt/s.xml', body: `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>${more}</p:sld>` },
          relationsFile('ppt/s.xml', [{ id: 'i', type: 'image', target: `ppt/${picture}` }]),
        ]);
      const plain = `${place(50, 50)}${rect}${color('1f3864')}`;
      const found = await Promise.all(
        [
          pptx([{ shapes: words() + cover(plain) }]),
          pptx([{ shapes: cover(plain) + words() }]),
          pptx([{ shapes: words(place(60, 50)) + cover(plain) }]),
          pptx([{ shapes: words() + cover(place(50, 50) + rect) }]),
          pptx([{ shapes: words() + cover(plain.replace('rect', 'ellipse')) }]),
          pptx([{ shapes: words() + cover(`${place(50, 50, 'rot="5400000"')}${rect}${color('1f3864')}`) }]),
          slide(words() + photo, 'a.jpeg'),
          slide(words() + photo, 'a.png'),
          slide(words() + photo, 'a.jpeg', '<p:timing/>'),
        ].map((bytes) => hiddenOf(bytes)),
      );
      expect(found).toEqual([['behind'], [], [], [], [], [], ['behind'], [], []]);
    });

    it('has shapes outside of the slide apart, with their tables and alternative texts', async () => {
      const table = (x: number) =>
        `<p:graphicFrame>${place(x, 0).replace('<p:spPr>', '').replaceAll('a:xfrm', 'p:xfrm')}<a:tbl><a:tr><a:tc><a:txBody><a:p>${run(`t${x}`)}</a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`;
      const at = (x: number, y: number, more = '') => box(run(`${x}/${y}`), place(x, y, more));
      const shapes = [
        at(0, 0),
        at(-99, -99),
        at(-100, 50),
        at(50, -100),
        at(1000, 50),
        at(50, 600),
        at(-110, 50, 'rot="2700000"'),
        table(400),
        table(1400),
        `<p:pic><p:nvPicPr><p:cNvPr descr="Crane"/></p:nvPicPr>${place(0, -200)}</p:spPr></p:pic>`,
        box(run('empty'), place(0, 0).replaceAll('"100"', '"0"')),
      ];
      const bytes = pptx([{ shapes: shapes.join('') }], '', '<p:sldSz cx="1000" cy="600"/>');
      expect(await partsOf(bytes, 'a.pptx')).toEqual([
        { label: 'slide 1', text: '0/0\n\n-99/-99\n\n-110/50\n\n| t400 |\n| --- |\n\nempty' },
        {
          label: 'slide 1 (hidden)',
          text: '-100/50\n\n50/-100\n\n1000/50\n\n50/600\n\n| t1400 |\n| --- |\n\n[Picture: Crane]',
          hidden: true,
        },
      ]);
    });
  });
});

describe('a sheet', () => {
  it('marks the cells that stand wholly behind a photo', async () => {
    const corner = (name: string, column: number, row: number, offset = 0) =>
      `<xdr:${name}><xdr:col>${column}</xdr:col><xdr:colOff>${offset}</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>${offset}</xdr:rowOff></xdr:${name}>`;
    const sheet = (picture: string, offset: number) => {
      const photo = `<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1"/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="p"/></xdr:blipFill><xdr:spPr><a:prstGeom prst="rect"/></xdr:spPr></xdr:pic>`;
      const cells = (row: number) =>
        ['A', 'B', 'C'].map((column) => `<c r="${column}${row}" t="str"><v>${column}${row}</v></c>`).join('');
      return zipOf([
        TYPES,
        { name: 'xl/workbook.xml', body: '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>' },
        relationsFile('xl/workbook.xml', [{ id: 'r1', type: 'worksheet', target: 'xl/s.xml' }]),
        {
          name: 'xl/s.xml',
          body: `<worksheet>${[1, 2, 3].map((row) => `<row r="${row}">${cells(row)}</row>`).join('')}</worksheet>`,
        },
        relationsFile('xl/s.xml', [{ id: 'd', type: 'drawing', target: 'xl/d.xml' }]),
        {
          name: 'xl/d.xml',
          body: `<xdr:wsDr><xdr:twoCellAnchor>${corner('from', 1, 1, offset)}${corner('to', 2, 2, offset)}${photo}</xdr:twoCellAnchor></xdr:wsDr>`,
        },
        relationsFile('xl/d.xml', [{ id: 'p', type: 'image', target: `xl/${picture}` }]),
      ]);
    };
    const hidden = async (bytes: Buffer) =>
      (await partsOf(bytes, 'a.xlsx')).filter((part) => part.hidden).map(({ text }) => text);
    expect(await hidden(sheet('p.jpg', 0))).toEqual(['[At B2: B2]']);
    expect(await hidden(sheet('p.jpg', 9))).toEqual([]);
    expect(await hidden(sheet('p.png', 0))).toEqual([]);
  });

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
      page: 1,
      label: 'sheet A, drawings',
      text: ['[At B8]', 'Review the south', '[At E5]', '[Picture: Bars]', ...CHART_TEXT].join('\n\n'),
    });
    const { sheets = [] } = await documents.sheets(bytes, 'a.xlsx');
    expect(sheets[0]?.drawings).toEqual([
      { place: 'A!B8', text: 'Review the south' },
      { place: 'A!E5', text: ['[Picture: Bars]', ...CHART_TEXT].join('\n\n') },
    ]);
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
