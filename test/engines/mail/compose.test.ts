/** The parts of a mail, read by an independent parser. */
import { marked } from 'marked';
import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { composeEmail, type Email, type EmailFormat } from '../../../engines/mail/email.ts';
import { faultsIn } from './mail-lint.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const letter = (given: Partial<Email> = {}): Email => ({
  subject: 'Weekly report: Zinsen bleiben – für immer?',
  preheader: 'Three new items.',
  kind: 'Weekly report',
  heading: 'Zinsen bleiben – für immer?',
  date: 'Friday 20 November 2026',
  lead: ['Three new items.', 'A second <b>paragraph</b> & more.'],
  figures: {
    heading: 'Figures',
    rows: [{ name: 'US dollar', value: '1.08 per EUR', about: '20 Nov 2026, +0.4 % since 19 Nov 2026' }],
  },
  charts: [{ title: 'US dollar', inWords: 'A line from 1.02 to 1.08.', picture: { cid: 'chart-1@errand', png: PNG } }],
  sections: [
    {
      heading: 'News feeds',
      note: 'The first 2 of 9.',
      entries: [
        {
          title: 'One',
          text: 'Its words.',
          about: '20 Nov 2026 · news.test',
          address: 'https://news.test/a?b=1&c="2"',
        },
        { title: 'Two', text: '', about: '' },
      ],
    },
  ],
  notes: ['Market data: https://x.test answered 503.'],
  ...given,
});

type Envelope = Parameters<typeof composeEmail>[1];
const envelope: Envelope = {
  from: { name: 'Acme via Errand', address: 'send@errand.test' },
  to: 'ann@reader.test',
  messageId: '<task.1.mark@errand.test>',
  at: Date.UTC(2026, 10, 20, 8, 0, 0),
  reason: 'You get this e-mail because Acme added your address to a notification.',
  unsubscribeAddress: `https://agents.test/unsubscribe/${'t'.repeat(400)}`,
};

const compose = async (given: Partial<Email> = {}, over: Partial<Envelope> = {}, format: EmailFormat = 'html') => {
  const raw = await composeEmail(letter(given), { ...envelope, ...over }, format);
  return { raw, text: Buffer.from(raw).toString('latin1'), mail: await PostalMime.parse(raw) };
};

it('has a text and an HTML part with the same content, and inline pictures', async () => {
  const { mail, text } = await compose();
  expect(faultsIn(mail)).toEqual([]);
  expect(mail.subject).toBe('Weekly report: Zinsen bleiben – für immer?');
  expect(mail.from).toMatchObject({ name: 'Acme via Errand', address: 'send@errand.test' });
  expect(mail.to).toEqual([{ name: '', address: 'ann@reader.test' }]);
  expect(mail.messageId).toBe('<task.1.mark@errand.test>');
  expect(new Date(mail.date ?? 0).getTime()).toBe(envelope.at);
  expect(mail.html).toContain('&lt;b&gt;paragraph&lt;/b&gt; &amp; more');
  expect(mail.attachments).toMatchObject([
    { mimeType: 'image/png', disposition: 'inline', contentId: '<chart-1@errand>' },
  ]);
  expect(text).toMatch(/^Content-Type: multipart\/alternative/m);
  expect(text).toMatch(/^Content-Type: multipart\/related/m);
});

it('has a one-click unsubscribe URL that no line folding breaks', async () => {
  const { mail, text } = await compose();
  const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
  expect(header('list-unsubscribe')).toBe(`<${envelope.unsubscribeAddress}>`);
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(mail.text).toContain(envelope.unsubscribeAddress);
  expect(mail.html).toContain(`href="${envelope.unsubscribeAddress}"`);
  for (const line of text.split('\r\n')) expect(line.length).toBeLessThan(999);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
});

it('is the same, byte for byte, for the same content and recipient', async () => {
  expect((await compose()).text).toBe((await compose()).text);
});

it('is only text if text is requested, and Markdown next to HTML if Markdown is requested', async () => {
  const plain = await compose({}, {}, 'text');
  expect(plain.mail.html).toBeUndefined();
  expect(plain.mail.attachments).toEqual([]);
  expect(plain.mail.text).toContain('A line from 1.02 to 1.08.');
  const marked = await compose({ lead: ['*not* [a](b) <script>'] }, {}, 'markdown');
  expect(faultsIn(marked.mail)).toEqual([]);
  expect(marked.mail.text).toContain('# Zinsen bleiben – für immer?');
  expect(marked.mail.text).toContain('\\*not\\* \\[a\\](b) \\<script\\>');
  expect(marked.mail.text).toContain('**[One](<https://news.test/a?b=1&c=%222%22>)**');
});

const READ_AS_THEY_ARE = ['61.2 EUR/MWh', '-3 or +3 %', 'AT&T', 'snake_case', 'C# at #5', '--dry-run', 'a = b!'];

it('escapes only active characters in Markdown', async () => {
  const acting = ['1. one', '7) x', '- a', '+ b', '---', '= =', '# c', 'd #', '&lt;', '_e_', '~~f~~', '![g](h)', '> i'];
  const { mail } = await compose({ lead: [...READ_AS_THEY_ARE, ...acting] }, {}, 'markdown');
  for (const words of READ_AS_THEY_ARE) expect(mail.text).toContain(`\n\n${words}\n\n`);
  const shown = marked.parse(mail.text ?? '', { async: false }).replaceAll('&#39;', "'");
  const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  for (const words of [...READ_AS_THEY_ARE, ...acting]) expect(shown).toContain(`<p>${escaped(words)}</p>`);
});

it('separates the signature of the text in the standard way, and does not repeat a kind that is the heading', async () => {
  const { mail } = await compose({ heading: 'Weekly report' });
  expect(mail.text).toContain('\n-- \nYou get this e-mail because Acme');
  expect(mail.text).toMatch(/^Friday 20 November 2026\n\nWeekly report\n=/);
  expect(mail.html?.split('<h1')[0]).not.toContain('Weekly report · ');
  expect(faultsIn(mail)).toEqual([]);
});

const AROUND: Partial<Email> = {
  message: { introduction: 'A message from Acme:', paragraphs: ['At <ten>.', '# Bring papers'] },
  evidence: {
    heading: 'Why you get this e-mail',
    why: 'A port shuts.',
    quotes: [{ quote: 'The port is *closed*.', about: '20 Nov 2026 · Port news', address: 'https://ports.test/a' }],
  },
  sections: [
    {
      heading: 'What is new',
      entries: [
        {
          ...{
            title: 'One event',
            text: 'Two notices.',
            about: '19 Nov 2026 · News feeds',
            address: 'https://news.test/1',
          },
          others: [
            { about: '20 Nov 2026 · Port news', address: 'https://ports.test/2' },
            { about: '21 Nov 2026 · Samples', address: 'javascript:x' },
          ],
        },
      ],
    },
    { heading: 'Others', note: '3 new items are not shown here.', entries: [] },
  ],
};

it.each<EmailFormat>(['html', 'markdown', 'text'])(
  'has the message, the evidence and all notices of an event as %s',
  async (format) => {
    const { mail } = await compose(AROUND, {}, format);
    expect(faultsIn(mail)).toEqual([]);
    const text = mail.text ?? '';
    const order = [
      'A message from Acme:',
      'Bring papers',
      'Three new items.',
      'Why you get this e-mail',
      'A port shuts',
      'closed',
    ];
    expect(order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b)).toEqual(
      order.map((words) => text.indexOf(words)),
    );
    for (const link of ['https://ports.test/a', 'https://news.test/1', 'https://ports.test/2']) {
      expect(text).toContain(link);
      if (format !== 'text') expect(mail.html).toContain(`href="${link}"`);
    }
    expect(`${mail.html}${text}`).not.toContain('javascript:');
    if (format === 'markdown') expect(text).toContain('> At \\<ten\\>.\n\n> \\# Bring papers');
  },
);

const HOSTILE = [
  'a\r\nBcc: all@victims.test',
  'a\nBcc: all@victims.test\n\nbody',
  'a\u2028Bcc: all@victims.test',
  'a\u0085Bcc: all@victims.test\u0000',
  '=?utf-8?Q?a=0D=0ABcc:_all@victims.test?=',
  'a\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<script>',
  `x${'y'.repeat(5_000)}\r\nBcc: all@victims.test`,
  '\u202Etxet',
  '"Ann" <ann@x.test>, <all@victims.test>',
];

it.each(HOSTILE)('does not let a text become a header: %j', async (words) => {
  const { mail } = await compose(
    { subject: words, heading: words, lead: [words] },
    { from: { ...envelope.from, name: words } },
  );
  expect(mail.headers.map(({ key }) => key).filter((key) => /bcc|cc|reply/.test(key))).toEqual([]);
  expect([mail.from?.address, mail.to?.map(({ address }) => address)]).toEqual([
    'send@errand.test',
    ['ann@reader.test'],
  ]);
  expect(mail.headers.filter(({ key }) => key === 'subject')).toHaveLength(1);
  expect(mail.subject?.length).toBeLessThanOrEqual(150);
  expect(mail.subject ?? '').not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}]/u);
  expect(mail.html).not.toContain('<script');
});

it.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'https://a:b@c.test/',
  '//elsewhere.test/x',
  'x',
])('never links to %j', async (address) => {
  const { mail } = await compose({
    sections: [{ heading: 'H', entries: [{ title: 'T', text: '', about: '', address }] }],
  });
  expect(faultsIn(mail)).toEqual([]);
  expect(mail.html).not.toContain('class="link"');
  expect(mail.text).not.toContain(address === 'x' ? '\nx\n' : address);
});

it('detects invalid mails', async () => {
  const { mail } = await compose();
  const html = mail.html ?? '';
  for (const [from, to] of [
    ['<img ', '<img onerror="x" '],
    ['alt="A line from 1.02 to 1.08."', ''],
    ['cid:chart-1@errand', 'https://x.test/a.png'],
    ['max-width:480px', ''],
    ['Its words.', 'Its words, and more.'],
    ['href="https://news', 'href="javascript://news'],
    ['<p class="words" style="', '<p class="words" data-style="'],
    ['style="margin:0 0 16px', 'style="width:700px;margin:0 0 16px'],
  ] as const) {
    expect(html).toContain(from);
    expect(faultsIn({ ...mail, html: html.replace(from, to) }), to).not.toEqual([]);
  }
});
