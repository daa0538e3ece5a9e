export default function PublishPage() {
  return (
    <div className="page-note">
      <h1>Drop a folder, get a link</h1>
      <p>From a terminal, publish a folder with this command:</p>
      <pre>
        <code>npx {location.origin}/cli.tgz ./dist</code>
      </pre>
    </div>
  );
}
