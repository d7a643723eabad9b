/** Documents whose values try to act as formulas or markup when the result is opened. */

export const HOSTILE_VALUES = [
  "=cmd|' /C calc'!A0",
  "x;=cmd|' /C calc'!A0",
  "x\t=cmd|' /C calc'!A0",
  'x;"=HYPERLINK(""https://evil.example.org/a"",""press"")"',
  '; @SUM(1+1)*cmd',
  '＝1+1',
  '\u200b=1+1',
  '\u2003=1+1',
  '\ufeff=1+1',
  '\u3164=1+1',
  '%=1+1',
  '<script>alert(1)</script>',
  '<img src=https://evil.example.org/b.png onerror=alert(2)>',
  '"><svg onload=alert(3)>',
  '[press](javascript:alert(4))',
  '![picture](https://evil.example.org/c.png)',
  '[1]: https://evil.example.org/d',
  '<https://evil.example.org/e>',
  'https://evil.example.org/f or www.evil.example.org/g',
  '&lt;script&gt;alert(5)&lt;/script&gt;',
  '\u202egnp.exe',
  '| a | b |',
];

/** Labelled values, as the named rules look for them. */
export const hostileText: string = [
  ...HOSTILE_VALUES.map((value, at) => `Customer ${at + 1}: ${value}`),
  'Invoice number: RE-2026-1',
  'Total: EUR 12.00',
].join('\n');

export const hostileCsv: string = [
  'Customer,Note,Amount',
  ...HOSTILE_VALUES.map((value) => `"${value.replaceAll('"', '""')}","${value.replaceAll('"', '""')}",EUR 12.00`),
].join('\r\n');
