/** Before tests in a browser: what they look with is there. */
import { chromium, demandProgram, pdftoppm } from './programs.ts';

export async function setup(): Promise<void> {
  await demandProgram(chromium);
  await demandProgram(pdftoppm);
}
