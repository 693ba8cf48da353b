/** What the browser's tab says. */
export function PageTitle({ title }: { readonly title: string }) {
  return <title>{title === 'Encore' ? title : `${title} – Encore`}</title>;
}
