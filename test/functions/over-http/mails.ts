/** Reads the mails that the target sent. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { target } from './call.ts';

type Played = { ses?: { RawMessage?: { raw_data?: string }[] } };

async function raws(): Promise<(string | Uint8Array)[]> {
  if ('folder' in target.mails) {
    const { folder } = target.mails;
    return readdirSync(folder)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => readFileSync(join(folder, name)));
  }
  const { ses } = (await (await fetch(`${target.mails.server}/moto-api/data.json`)).json()) as Played;
  return (ses?.RawMessage ?? []).map(({ raw_data: raw = '' }) => raw);
}

export async function mailsTo(address: string): Promise<Email[]> {
  const mails = await Promise.all((await raws()).map((raw) => PostalMime.parse(raw)));
  return mails.filter(({ to = [] }) => to.some((recipient) => recipient.address === address));
}
