/**
 * Whether a schedule is being edited: by its button, or by a message's link that names it (`?change=<id>`).
 */
import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';

/** `source`: only what pays it. */
type Edited = 'terms' | 'source';

export function useEdited(
  id: string,
): [edited: Edited | undefined, edit: (what: Edited | undefined) => void] {
  const [query, setQuery] = useSearchParams();
  const isLinked = query.get('change') === id;
  const [edited, setEdited] = useState<Edited | undefined>(isLinked ? 'source' : undefined);
  const edit = (what: Edited | undefined): void => {
    setEdited(what);
    if (what === undefined && isLinked) setQuery({}, { replace: true });
  };
  return [edited, edit];
}
