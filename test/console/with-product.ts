/** A local product and a browser for the tests of one file. */
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../functions/over-http/local-product.ts';
import { type OpenBrowser, openBrowser } from '../support/browser/open-browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export type WithProduct = { folder: string; state: string; product: Running; browser: OpenBrowser };

/** The product and the browser are ready in the caller's first `beforeAll`. */
export function withProduct(): WithProduct {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const world = { folder: folder.path, state } as WithProduct;
  beforeAll(async () => {
    world.product = await startLocalProduct(state, await freePort());
    world.browser = await openBrowser();
  });
  afterAll(async () => {
    await world.browser.close();
    await world.product.stop();
    folder.remove();
  });
  return world;
}
