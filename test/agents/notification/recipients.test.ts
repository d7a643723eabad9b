/** The mail addresses that a notification accepts: all valid ones, and no others. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { notificationInput } from '../../../shared/agents/notification-input.ts';
import { isMailbox } from '../../../shared/mail/mail.ts';

const INPUT = notificationInput([]);
const takes = (address: string): boolean => v.is(INPUT, { content: { recipients: [address] } });

describe('mail addresses', () => {
  const most = `${'x'.repeat(64)}@c.org`;
  it.each(["o'neil@c.org", 'a.b+c@d-e.example.org', '!#$%&*/=?^_`{|}~-@c.org', 'a@xn--mnchen-3ya.org', most])(
    'takes %s',
    (address) => expect([takes(address), isMailbox(address)]).toEqual([true, true]),
  );

  it.each([
    '.a@c.org',
    'a.@c.org',
    'a..b@c.org',
    'a@c',
    'a@-c.org',
    'a@c-.org',
    'a@c.1',
    'a@b@c.org',
    ' a@c.org',
    '@c.org',
  ])('refuses %j', (address) => expect(takes(address)).toBe(false));

  it.each(['a@c.org\n', 'a <a@c.org>', 'a,b@c.org', '"a"@c.org', 'ä@c.org', 'a@münchen.org'])('refuses %j', (address) =>
    expect(takes(address)).toBe(false),
  );
});
