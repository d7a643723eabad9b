/** The permitted content of an answer that is shown as Markdown. */

import { describe, expect, it } from 'vitest';
import { addressesIn, toInert } from '../../../engines/outputs/inert-markdown.ts';
import { expectWithin } from '../../support/expect-time.ts';
import { processorMs } from '../../support/machine-speed.ts';

const MATERIAL = ['See https://good.org/a (also https://good.org/b_(c)), [here](https://good.org/d?x=1).'];
const inertText = (text: string) => toInert(text, () => addressesIn(MATERIAL));

describe('an answer', () => {
  it.each([
    'Plain words, 3 < 4, a & b, [1] lease.pdf, page 2 and *stars*.',
    'See https://good.org/a. Or [here](https://good.org/d?x=1) and <https://good.org/a>!',
    '[below](#costs) and [the notes](notes.md)',
    'Write `<b>` and `Array<string>` or:\n```html\n<img src="https://elsewhere.org/a.png">\n```\nThat is all.',
    '[^1]: A footnote.',
  ])('stays as it is: %s', (text) => expect(inertText(text)).toBe(text));

  it.each([
    ['![x](https://evil.test/?d=1)', '[x] (`https://evil.test/?d=1`)'],
    ['![x](https://good.org/a)', '[x](https://good.org/a)'],
    ['![a[b]c](https://evil.test)', '[a[b]c] (`https://evil.test`)'],
    ['[x](https://good.org/a?d=4711)', '[x] (`https://good.org/a?d=4711`)'],
    ['[x](https://good.org/a#4711)', '[x] (`https://good.org/a#4711`)'],
    [
      '[x](//evil.test/1) [y](javascript:a) [z](data:text/html,b)',
      '[x] (//evil.test/1) [y] (javascript:a) [z] (data:text/html,b)',
    ],
    ['[x][r]\n\n[r]: https://evil.test/1', '[x][r]\n\n[r] : `https://evil.test/1`'],
    ['[r]:\n  https&#58;//evil.test/1', '[r] :\n  https&#58;//evil.test/1'],
    ['(www.evil.test/1), https://evil.test/2.', '(`www.evil.test/1`), `https://evil.test/2`.'],
    ['https://good.org/b_(c)4711', '`https://good.org/b_(c)4711`'],
    ['a <img src=x onerror=y> <!-- b -->', 'a &lt;img src=x onerror=y> &lt;!-- b -->'],
  ])('loads nothing and leads nowhere new: %s', (text, expected) => expect(inertText(text)).toBe(expected));

  it.each([
    // In each, a renderer interprets a part that looks like code.
    ['- a\n  ```\n![x](https://evil.test)', /!\[|\]\(/],
    ['> ```\n![x](https://evil.test)\n```', /!\[|\]\(/],
    ['```\ncode\n````\n![x](https://evil.test)\n```', /!\[|\]\(/],
    ['\\`<img src=x>`', /<img/],
    ['a` b\n`<img src=x>`', /<img/],
    ['<https://x`>![](https://evil.test)`', /!\[/],
    ['`x`https://evil.test/1', /x`https/],
    ['<!--\n```\n-->\n![x](https://evil.test)\n```', /<!--/],
  ])('is not deceived by %j', (text, live) => expect(inertText(text)).not.toMatch(live));

  it('changes no more when it is looked at again', () => {
    const once = inertText('![x](https://evil.test/1) <b> [y](//z) www.evil.test');
    expect(inertText(once)).toBe(once);
  });

  it.each(['![', '](', '<a', '` ', '```\n', '\n ', ' ', 'www.', ']:', 'https://a.b/.', '`` ` '])(
    'of a megabyte of %j is made harmless at once',
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      expectWithin(
        processorMs(() => inertText(text)),
        3_000,
      );
    },
  );
});
