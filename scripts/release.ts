/** Makes the files of a release and its notes: `node scripts/release.ts v0.2.0 FOLDER`. The release workflow attaches them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { zipSync } from 'fflate';
import client from '../client/package.json' with { type: 'json' };
import packageJson from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

/** The section of a version in CHANGELOG.md, without its heading. */
function notesOf(version: string, changelog: string): string {
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`${version} - `));
  if (!section) throw new Error(`CHANGELOG.md has no section "${version} - DATE": date the version before its tag.`);
  return section.slice(section.indexOf('\n')).trim();
}

function checkTag(tag: string, versions: Record<string, string>): string {
  for (const [file, version] of Object.entries(versions))
    if (tag !== `v${version}`)
      throw new Error(`The tag is ${tag}, but ${file} has version ${version}: make them equal.`);
  return tag.slice(1);
}

function release(tag: string, folder: string) {
  const version = checkTag(tag, { 'package.json': packageJson.version, 'client/package.json': client.version });
  const notes = notesOf(version, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', '--pack-destination', resolve(folder)], { cwd: join(root, 'client'), stdio: 'ignore' });
  const contracts = readdirSync(join(root, 'contracts')).filter((file) => file.endsWith('.json'));
  const files = contracts.map((file) => [file, readFileSync(join(root, 'contracts', file))] as const);
  writeFileSync(join(folder, `errand-contracts-${version}.zip`), zipSync(Object.fromEntries(files)));
  writeFileSync('release-notes.md', `${notes}\n`);
  console.log(readdirSync(folder).join('\n'));
}

if (import.meta.main) {
  const [tag = '', folder = 'release'] = process.argv.slice(2);
  release(tag, folder);
}
