/** Messages at the fields of a submitted form. */
import { useCallback, useEffect, useRef, useState } from 'react';

/** A sentence for each refused field. */
export type Refusals<Name extends string> = Readonly<Partial<Record<Name, string>>>;

interface FormRefusals<Name extends string> {
  readonly problemOf: (name: Name) => string | undefined;
  /** Shows the messages and focuses the first refused field. */
  readonly refuse: (fields: Refusals<Name>) => void;
  /** Clears the message of a changed field. */
  readonly changed: (name: Name) => void;
  readonly clear: () => void;
  /** For the `ref` of the element around the fields. */
  readonly around: (element: HTMLElement | null) => void;
}

/**
 * Messages at fields. The first refused field gets the focus when the form is submitted, and at no other
 * time: it must not jump while somebody types. A recipient tab without a field has a button to focus.
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
