import { describe, expect, it } from 'vitest';
import { ENTRY_LIMITS } from '../../../engines/documents/document.ts';
import { BASE, read } from './setup.ts';

const feed = (text: string | Uint8Array, most?: number) => read({ kind: 'feed' }, text, most);
const entries = async (text: string | Uint8Array) => (await feed(text)).entries;

const RSS_2 = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"
  xmlns:media="http://search.yahoo.com/mrss/">
  <channel>
    <title>Port News</title><link>https://port.example/</link>
    <atom:link href="https://port.example/feed" rel="self"/>
    <image><title>Logo</title></image>
    <item>
      <title>Quay &amp; crane: &#8222;open&#8220;</title>
      <link>/2026/quay?a=1&amp;b=2</link>
      <description>Short.</description>
      <content:encoded><![CDATA[<p>The quay <b>opened</b>.</p><script>alert(1)</script><p hidden>Buy now.</p><p onclick="x()">Fees rise &amp; fall.</p>]]></content:encoded>
      <pubDate>Mon, 02 Nov 2026 08:30:00 +0100</pubDate>
      <media:content><media:title>A picture</media:title></media:content>
    </item>
    <item>
      <description>&lt;p&gt;Only a description, with &amp;lt;tags&amp;gt; told about.&lt;/p&gt;</description>
      <guid isPermaLink="true">https://port.example/2</guid>
      <pubDate>Tue, 03 Nov 2026 10:00 GMT</pubDate>
    </item>
    <item><guid>no-words</guid></item>
  </channel>
</rss>`;

const RSS_1 = `<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="https://bank.example/rss"><title>Rates</title><items><rdf:Seq><rdf:li resource="x"/></rdf:Seq></items></channel>
  <item rdf:about="https://bank.example/1">
    <title>Key rate unchanged</title><link>https://bank.example/1</link><dc:date>2026-10-29T14:15:00+01:00</dc:date>
    <description>The key rate stays at 2.0 per cent.</description>
  </item>
</rdf:RDF>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <title>Filings</title><updated>2026-11-05T00:00:00Z</updated>
  <entry>
    <title type="html">10-K &lt;b&gt;Brightwater&lt;/b&gt;</title>
    <link rel="enclosure" href="https://filings.example/big.zip"/>
    <link rel="alternate" type="text/html" href="https://filings.example/1"/>
    <summary>Less.</summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Revenue rose.</p><p>Costs fell.</p><script>x()</script></div></content>
    <published>2026-11-04T09:00:00.5-05:00</published><updated>2026-11-05T00:00:00Z</updated>
  </entry>
  <entry><title>Older</title><link href="javascript:alert(1)"/><updated>2026-11-01T00:00:00Z</updated></entry>
</feed>`;

describe('a feed', () => {
  it('of RSS 2.0 brings the full text without tags and scripts, its date in UTC and its link made whole', async () => {
    expect(await entries(RSS_2)).toEqual([
      {
        address: 'https://port.example/2',
        title: 'Only a description, with <tags> told about.',
        text: 'Only a description, with <tags> told about.',
        publishedAt: '2026-11-03T10:00:00.000Z',
      },
      {
        address: 'https://published.errand-tests.org/2026/quay?a=1&b=2',
        title: 'Quay & crane: „open“',
        text: 'The quay opened.\n\nFees rise & fall.',
        publishedAt: '2026-11-02T07:30:00.000Z',
      },
    ]);
  });

  it('of RSS 1.0 is read, whose entries stand beside the channel', async () => {
    expect(await entries(RSS_1)).toEqual([
      {
        address: 'https://bank.example/1',
        title: 'Key rate unchanged',
        text: 'The key rate stays at 2.0 per cent.',
        publishedAt: '2026-10-29T13:15:00.000Z',
      },
    ]);
  });

  it('of Atom is read, with the page for its link and never a script', async () => {
    expect(await entries(ATOM)).toEqual([
      {
        address: 'https://filings.example/1',
        title: '10-K Brightwater',
        text: 'Revenue rose.\nCosts fell.',
        publishedAt: '2026-11-04T14:00:00.000Z',
      },
      { address: BASE, title: 'Older', text: 'Older', publishedAt: '2026-11-01T00:00:00.000Z' },
    ]);
  });

  it('without entries is an empty one, and what is not a feed says so', async () => {
    expect(await feed('<rss><channel><title>Empty</title></channel></rss>')).toEqual({ entries: [] });
    for (const other of ['<html><body><item>x</item></body></html>', '{"items": []}', 'plain', '']) {
      expect(await feed(other)).toEqual({ entries: [], unfit: 'is not a feed' });
    }
  });

  it('that is cut off brings the entries that are whole', async () => {
    const cut = RSS_2.slice(0, RSS_2.indexOf('Only a description'));
    expect((await entries(cut)).map(({ title }) => title)).toContain('Quay & crane: „open“');
  });

  it.each([
    [
      'windows-1252',
      Buffer.from('<rss><channel><item><title>Zölle f\xfcr H\xe4fen</title></item></channel></rss>', 'latin1'),
    ],
    [
      'UTF-16',
      Buffer.from('\ufeff<rss><channel><item><title>Zölle für Häfen</title></item></channel></rss>', 'utf16le'),
    ],
    [
      'an encoding that is not the declared one',
      Buffer.from(
        '<?xml version="1.0" encoding="utf-8"?><rss><item><title>Z\xf6lle f\xfcr H\xe4fen</title></item></rss>',
        'latin1',
      ),
    ],
  ])('in %s is read', async (_, bytes) => {
    const [entry] = await entries(bytes);
    expect(entry?.title).toMatch(/für Häfen$/);
  });
});

describe('a hostile feed', () => {
  it('expands no entities of its own', async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "lol">${laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]>
      <rss><channel><item><title>Laughs &l9; &f;</title></item></channel></rss>`;
    const text = JSON.stringify(await feed(bomb));
    expect(text).not.toMatch(/lollol|root:/);
    expect(text.length).toBeLessThan(1_000);
  });

  it('of many entries, long words and 10 MB is cut', async () => {
    const long = `<item><title>${'t'.repeat(1_000)}</title><description>${'d '.repeat(100_000)}</description></item>`;
    const many = '<item><title>a</title></item>'.repeat(200_000);
    const { entries: found } = await feed(`<rss><channel>${long}${many}</channel></rss>`, 3_000);
    expect(found).toHaveLength(ENTRY_LIMITS.feedEntries);
    expect(found[0]?.title).toHaveLength(ENTRY_LIMITS.title);
    expect(found[0]?.text.length).toBeLessThanOrEqual(ENTRY_LIMITS.text);
  });

  it('nested too deeply is refused', async () => {
    await expect(feed(`<rss><item>${'<a>'.repeat(5_000)}`)).rejects.toMatchObject({ reason: 'tooLarge' });
  });

  it('of tags that never end takes no longer than others', async () => {
    const begun = Date.now();
    await feed(`<rss><channel><item><description>${'&lt;a '.repeat(60_000)}</description></item></channel></rss>`);
    await feed(`<rss><channel><item><title>${'<a b="'.repeat(100_000)}`);
    expect(Date.now() - begun).toBeLessThan(5_000);
  });
});
