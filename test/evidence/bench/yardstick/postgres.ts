/** A PostgreSQL server for one benchmark, in a temporary folder with its default settings: every commit is synced. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../../functions/over-http/free-port.ts';
import { demandProgram, type Program } from '../../../support/browser/programs.ts';
import { endWithParent } from '../../../support/end-with-parent.ts';

export const postgres: Program = {
  what: 'PostgreSQL',
  namedBy: 'POSTGRES_PATH',
  names: ['postgres'],
  /** Debian does not put it on the PATH; each version has its own folder. */
  get places() {
    return globSync('/usr/lib/postgresql/*/bin/postgres').sort().reverse();
  },
  packages: ['postgresql'],
  remedy: 'install it (Debian: apt install postgresql; macOS: brew install postgresql)',
};

const READY = /database system is ready to accept connections/;

/** PostgreSQL refuses to run as root. */
const OTHER_USER = 'postgres';

type User = { uid: number; gid: number };

function otherUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const numberOf = (what: string) => Number(execFileSync('id', [what, OTHER_USER], { encoding: 'utf8' }));
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

export async function startPostgres(folder: string) {
  const program = realpathSync(await demandProgram(postgres));
  const user = otherUser();
  const data = join(folder, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  if (user) for (const own of [folder, data]) chownSync(own, user.uid, user.gid);
  const where = { cwd: folder, ...user };
  const made = ['--pgdata', data, '--username', 'errand', '--auth', 'trust', '--encoding', 'UTF8'];
  execFileSync(join(dirname(program), 'initdb'), made, { ...where, stdio: 'ignore' });
  const port = await freePort();
  const words = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
  const server = endWithParent(spawn(program, words, { ...where, stdio: ['ignore', 'ignore', 'pipe'] }));
  server.stderr.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (line: string) => READY.test(line) && resolve());
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code} before it was ready.`)));
  });
  return {
    port,
    process: server.pid ?? 0,
    async stop() {
      server.kill('SIGQUIT'); // immediate shutdown: the data is discarded
      await once(server, 'exit');
    },
  };
}
