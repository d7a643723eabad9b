/** The mailer of one machine: it sends nothing, but keeps each mail in a folder. */

import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { faultOfMail } from '../../shared/mail/mail.ts';
import type { Clock, Ids, Mailer } from '../../shared/ports.ts';
import { durableFiles } from './state-folder.ts';

type Options = { folder: string; sender: string; clock: Clock; ids: Ids };

/** Writes each mail to a file in a folder. Files appear only when they are complete. */
export function folderMailer({ folder, sender, clock, ids }: Options): Mailer {
  return {
    async send(mail) {
      const fault = faultOfMail(mail);
      if (fault) return { refused: fault };
      // SES also rejects senders that it does not know.
      if (mail.from !== sender) return { refused: 'badSender' };
      const id = ids.uuid();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(folder, `${nameOf(clock.now())}-${id}.eml`, mail.raw);
      return { accepted: id };
    },
  };
}

/** Names sort by time. */
const nameOf = (at: number): string => new Date(at).toISOString().replaceAll(/[:.]/g, '-');

async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const partial = join(folder, `.${name}.partial`);
  try {
    const handle = await open(partial, 'wx', 0o600);
    await handle
      .writeFile(bytes)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await rename(partial, join(folder, name));
    await durableFiles.syncFolder(folder);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
