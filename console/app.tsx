/** The frame around every page: the menu, who is signed in, and the page one is at. */
import { useEffect, useRef } from 'preact/hooks';
import { forgetAll } from './asked.ts';
import { config } from './config.ts';
import { SignInPage } from './pages/sign-in.tsx';
import { PAGES, pageAt } from './pages.ts';
import { endSession, maySubmit, type Session, session } from './session.ts';
import { arrived } from './ui/arrival.ts';
import { Icon } from './ui/icon.tsx';
import { Opened } from './ui/opened.tsx';
import { usePlace } from './use-place.ts';
import { useStore } from './use-store.ts';

export function App() {
  const begun = useStore(session);
  useEffect(arrived, []);
  // Whoever signs in stays where they were: the address has not changed.
  return begun ? <Frame key={begun.token} begun={begun} /> : <SignInPage />;
}

function Frame({ begun }: { begun: Session }) {
  const place = usePlace();
  const content = useRef<HTMLElement>(null);
  const found = pageAt(place, config);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        Skip to the content
      </button>
      <nav class="menu" aria-label="Pages">
        <p class="brand">Errand</p>
        <ul>
          {PAGES.map(
            ({ pattern, menu, when }) =>
              menu &&
              (!menu.isForMembers || maySubmit()) &&
              (when?.(config) ?? true) && (
                <li key={pattern}>
                  <a href={`#${pattern}`} aria-current={isAt(pattern, found?.entry.pattern) ? 'page' : undefined}>
                    <Icon name={menu.icon} />
                    {menu.label}
                  </a>
                </li>
              ),
          )}
        </ul>
        <div class="who">
          <span class="who-name" title={begun.name}>
            {begun.name}
          </span>
          {begun.role && <span class="small muted">{begun.role}</span>}
          <button type="button" class="button quiet" onClick={leave}>
            <Icon name="out" />
            Sign out
          </button>
        </div>
      </nav>
      <main ref={content} tabIndex={-1}>
        <Opened found={found} query={place.query} path={place.path} />
      </main>
    </div>
  );
}

/** Whoever leaves on purpose leaves nothing behind; whose session only ends comes back. */
function leave(): void {
  forgetAll();
  endSession('signed-out');
}

/** Below a page of the menu one is still at it. */
const isAt = (pattern: string, current: string | undefined): boolean =>
  current !== undefined && (current === pattern || current.startsWith(`${pattern}/`));
