import { describe, expect, it } from 'vitest';
import { sample } from './samples.ts';
import { openReader } from './setup.ts';

const documents = openReader();
const swapped = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
const TEXT = 'Prüfung für Åse: 100 € – naïve café';

describe('a text', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16, low byte first', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16, high byte first', swapped(TEXT)],
    ['Windows-1252', Buffer.from('Prüfung für Åse: 100 \x80 \x96 naïve café', 'latin1')],
  ])('in %s is read', async (_, bytes) => {
    expect(await documents.text(bytes, 'note.txt')).toBe(`line 1\n${TEXT}`);
  });

  it('in the encoding that its markup declares is read', async () => {
    const xml = Buffer.from('<?xml version="1.0" encoding="ISO-8859-2"?><a>\xb1</a>', 'latin1');
    const html = Buffer.from('<html><head><meta charset="windows-1251"></head><p>\xcc\xe8\xf0</p></html>', 'latin1');
    expect(await documents.text(xml, 'a.xml')).toContain('<a>ą</a>');
    expect(await documents.text(html, 'a.html')).toContain('Мир');
  });
});

describe('comma-separated values', () => {
  it.each([
    ['a comma', 'a,b,c\n1,"x, y",3\n'],
    ['a semicolon', 'a;b;c\r\n1;x, y;3\r\n'],
    ['a tab', 'a\tb\tc\n1\tx, y\t3'],
    ['a bar', 'a|b|c\n1|x, y|3'],
  ])('are cut at %s', async (_, text) => {
    expect(await documents.text(Buffer.from(text), 'a.csv')).toBe(
      'rows 1 to 2\n| a | b | c |\n| --- | --- | --- |\n| 1 | x, y | 3 |',
    );
  });

  it('keep quotes, lines and separators inside of quotes', async () => {
    for (const name of ['utf8', 'windows-1252', 'utf16']) {
      const text = await documents.text(sample(`customers.${name}.csv`).bytes(), 'customers.csv');
      expect(text).toContain(
        '| 1002 | Café "Zum Löwen" | Köln | 2019-11-20 | 3.210,00 | orders by telephone; never by e-mail |',
      );
      expect(text).toContain('| two doors, second one in the court |');
    }
  });

  it('keep a bar inside a cell from ending it', async () => {
    expect(await documents.text(Buffer.from('a,b\nx|y,z\n'), 'a.csv')).toContain('| x\\|y | z |');
  });
});

describe('RTF', () => {
  const read = (body: string) => documents.text(Buffer.from(`{\\rtf1\\ansi${body}}`, 'latin1'), 'a.rtf');

  it.each([
    ['its own code page', "\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", 'Привет'],
    ["its font's code page", "{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset238 B;}}\\f1 P\\'f8\\'edli\\'9a", 'Příliš'],
    ['two bytes a sign', "{\\fonttbl{\\f0\\fcharset128 A;}}\\f0 \\'93\\'fa\\'96\\'7b", '日本'],
    ['Unicode and its stand-in', "\\uc1 na\\u239\\'efve \\u-10179?\\u-8704?", 'naïve 😀'],
  ])('reads %s', async (_, body, wanted) => {
    expect(await read(body)).toContain(wanted);
  });

  it('reads no binary data, no field codes and no picture', async () => {
    const text = await read(
      ' Before {\\pict\\bin4 {{{{ ffd8}{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt shown}} after',
    );
    expect(text).toBe('paragraph 1\nBefore shown after');
  });
});
