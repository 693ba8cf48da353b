/** What a form that was sent says of its fields. */
import { useCallback, useEffect, useRef, useState } from 'react';

/** A sentence for each field that is refused. */
export type Refusals<Name extends string> = Readonly<Partial<Record<Name, string>>>;

export interface FormRefusals<Name extends string> {
  readonly problemOf: (name: Name) => string | undefined;
  /** Says these, and brings the focus to the first field that is refused. */
  readonly refuse: (fields: Refusals<Name>) => void;
  /** What was refused is no longer said of a field that has changed since. */
  readonly changed: (name: Name) => void;
  readonly clear: () => void;
  /** For the `ref` of the element around the fields. */
  readonly around: (element: HTMLElement | null) => void;
}

/**
 * The first field that is refused is where the hand goes next; a code is no field, but can be scanned. The
 * focus moves when the form is sent and at no other time: whoever is writing stays where they write.
 */
export function useRefusals<Name extends string>(): FormRefusals<Name> {
  const place = useRef<HTMLElement | null>(null);
  const [refused, setRefused] = useState<Refusals<Name> | undefined>();
  const [timesSent, setTimesSent] = useState(0);
  useEffect(() => {
    if (timesSent === 0) return;
    const find = (selector: string) => place.current?.querySelector<HTMLElement>(selector);
    (
      find('[data-refused="true"] [role="tabpanel"] :is(input, button)') ?? find('[aria-invalid="true"]')
    )?.focus();
  }, [timesSent]);

  const around = useCallback((element: HTMLElement | null) => {
    place.current = element;
  }, []);
  const refuse = (fields: Refusals<Name>) => {
    setRefused(fields);
    setTimesSent((times) => times + 1);
  };
  const changed = (name: Name) =>
    setRefused((now) => (now?.[name] === undefined ? now : { ...now, [name]: undefined }));
  return {
    problemOf: (name) => refused?.[name],
    refuse,
    changed,
    clear: () => setRefused(undefined),
    around,
  };
}
