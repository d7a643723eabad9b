/** Loads another module in place of one of the product: that shows what a part of it is worth. No switch is in the product. */
import { registerHooks } from 'node:module';

const ROOT = new URL('../../../../', import.meta.url);

/** By the path below the repository, the name of the file beside this one; that file may load what it takes the place of. */
export function replaceModules(replaced: Readonly<Record<string, string>>): void {
  const places = new Map(
    Object.entries(replaced).map(([path, name]) => [new URL(path, ROOT).href, new URL(name, import.meta.url).href]),
  );
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const url = places.get(found.url);
      return url === undefined || context.parentURL === url ? found : { ...found, url };
    },
  });
}
