/** Says how to sign in without any other method: by the one-time link. */
export default function SignInPage() {
  return (
    <div className="page-note">
      <h1>Sign in</h1>
      <p>
        Open the link that the server printed when it started. To get another one, run this command in the folder of the
        server:
      </p>
      <pre>
        <code>npm run berth -- sign-in</code>
      </pre>
    </div>
  );
}
