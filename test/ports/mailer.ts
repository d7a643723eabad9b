/** The contract of mailers: accept a whole mail, or refuse it with the same error everywhere. */
import { beforeEach, describe, expect, it } from 'vitest';
import { MAIL_LIMITS } from '../../shared/mail/mail.ts';
import type { Mail, Mailer } from '../../shared/ports.ts';

export type MailerHarness = {
  mailer: Mailer;
  /** The permitted sender. */
  sender: string;
  /** The accepted mails in any order. */
  taken(): Promise<string[]>;
};

export function mailerContract(name: string, open: () => Promise<MailerHarness>): void {
  describe(name, () => {
    let at: MailerHarness;
    beforeEach(async () => {
      at = await open();
    });

    const mail = (changes: Partial<Mail> = {}): Mail => ({
      raw: Buffer.from(`From: ${at.sender}\r\nTo: ann@readers.org\r\nSubject: one\r\n\r\nText.\r\n`),
      from: at.sender,
      to: 'ann@readers.org',
      tags: { task: 'a-1', run: 'once' },
      ...changes,
    });

    it('takes a mail as it is and gives an id of its own to each', async () => {
      const first = await at.mailer.send(mail());
      const second = await at.mailer.send(mail({ to: 'bob@readers.org' }));
      expect([first, second]).toEqual([
        { accepted: expect.stringMatching(/./) },
        { accepted: expect.stringMatching(/./) },
      ]);
      expect(first).not.toEqual(second);
      expect(await at.taken()).toEqual([String(mail().raw), String(mail().raw)]);
    });

    it('accepts the same mail again: avoiding duplicates is up to the caller', async () => {
      for (let times = 0; times < 2; times++) expect(await at.mailer.send(mail())).toHaveProperty('accepted');
      expect(await at.taken()).toHaveLength(2);
    });

    it('takes one of the largest size, and refuses one byte more', async () => {
      const sized = (bytes: number) => {
        const head = String(mail().raw);
        return Buffer.from(head + `${'x'.repeat(76)}\r\n`.repeat(bytes / 78 + 1)).subarray(0, bytes);
      };
      expect(await at.mailer.send(mail({ raw: sized(MAIL_LIMITS.bytes + 1) }))).toEqual({ refused: 'tooLarge' });
      expect(await at.taken()).toEqual([]);
      expect(await at.mailer.send(mail({ raw: sized(MAIL_LIMITS.bytes) }))).toHaveProperty('accepted');
    });

    it.each([
      '',
      'ann',
      'ann@',
      '@readers.org',
      'ann@readers',
      'ann@-readers.org',
      'ann@readers.org, bob@readers.org',
      'ann@readers.org\r\nBcc: bob@readers.org',
      'Ann <ann@readers.org>',
      `${'a'.repeat(65)}@readers.org`,
      `ann@${'r'.repeat(251)}.org`,
    ])('refuses to send to %j', async (to) => {
      expect(await at.mailer.send(mail({ to }))).toEqual({ refused: 'badAddress' });
      expect(await at.taken()).toEqual([]);
    });

    it.each(['stranger@elsewhere.org', 'nobody'])('refuses to send for %s', async (from) => {
      expect(await at.mailer.send(mail({ from }))).toEqual({ refused: 'badSender' });
      expect(await at.taken()).toEqual([]);
    });

    it.each([{ 'a b': 'x' }, { a: 'x y' }, { a: '' }, { a: 'x'.repeat(257) }])(
      'takes no tag such as %j',
      async (tags) => {
        await expect(at.mailer.send(mail({ tags: tags as Record<string, string> }))).rejects.toThrow(RangeError);
      },
    );
  });
}
