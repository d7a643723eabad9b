#!/usr/bin/env node
/** `npx errand`: starts the command line on Node 24, which `npm ci` installs. Plain JavaScript, as an older Node may run it. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const REQUIRED = 24;
const script = join(import.meta.dirname, 'errand.ts');

if (Number(process.versions.node.split('.')[0]) >= REQUIRED) await import('./errand.ts');
else {
  const node = installedNode();
  if (node) {
    const { status, signal } = spawnSync(node, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
    process.exitCode = status ?? (signal ? 130 : 1);
  } else {
    console.error(
      `errand needs Node ${REQUIRED}, this is ${process.version}: run "npm ci" first, or install Node ${REQUIRED}.`,
    );
    process.exitCode = 1;
  }
}

function installedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = platform === 'win' ? 'node.exe' : 'node';
  try {
    return createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/bin/${file}`);
  } catch {
    return undefined;
  }
}
