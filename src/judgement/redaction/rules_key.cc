// Rules: private keys, password hashes, URLs with passwords, HTTP headers.
#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {
namespace {

// The body of a PEM block: base64 in lines with real or escaped newlines, quoted or not, possibly
// after headers.
#define BJ_PEM_GAP R"([\s\r\n\\nr"',+>#]{1,16})"
#define BJ_PEM_BODY R"(([A-Za-z0-9+/=\s\r\n\\"',>#]{40,}))"
#define BJ_PEM_HEADS \
  BJ_PEM_GAP R"(Proc-Type: [A-Z0-9,]{1,20})" BJ_PEM_GAP "DEK-Info: [A-Z0-9-]{1,40},"
#define BJ_PGP_HEADS BJ_PEM_GAP R"((?:Version|Comment): )"
#define BJ_PGP_BODY R"(([A-Za-z0-9+/=\s\r\n\\"',>#:.@()<_]{40,}))"
#define BJ_PEM_EXAMPLE "-----\n%6{64}\n%6{64}\n%6{40}==\n-----END "

constexpr Rule kKeyRules[] = {
    Token("rsa-private-key", "-----BEGIN RSA PRIVATE KEY-----" BJ_PEM_HEADS BJ_PEM_BODY,
          "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
          "AES-128-CBC,%X{32}\n\n%6{64}\n%6{64}\n-----END RSA PRIVATE KEY-----",
          "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4", KeyBlock),
    Token("rsa-private-key", "-----BEGIN RSA PRIVATE KEY-----" BJ_PEM_BODY,
          "-----BEGIN RSA PRIVATE KEY" BJ_PEM_EXAMPLE,
          "grep -----BEGIN RSA PRIVATE KEY----- in files", KeyBlock),
    Token("ec-private-key", "-----BEGIN EC PRIVATE KEY-----" BJ_PEM_BODY,
          "-----BEGIN EC PRIVATE KEY" BJ_PEM_EXAMPLE, "-----BEGIN EC PRIVATE KEY-----\n...",
          KeyBlock),
    Token("dsa-private-key", "-----BEGIN DSA PRIVATE KEY-----" BJ_PEM_BODY,
          "-----BEGIN DSA PRIVATE KEY" BJ_PEM_EXAMPLE, "-----BEGIN DSA PRIVATE KEY-----\n...",
          KeyBlock),
    Token("openssh-private-key", "-----BEGIN OPENSSH PRIVATE KEY-----" BJ_PEM_BODY,
          "-----BEGIN OPENSSH PRIVATE KEY" BJ_PEM_EXAMPLE,
          "-----BEGIN OPENSSH PRIVATE KEY-----\n...", KeyBlock),
    Token(
        "private-key", "-----BEGIN PRIVATE KEY-----" BJ_PEM_BODY,
        R"("private_key": "-----BEGIN PRIVATE KEY-----\n%6{64}\n%6{64}\n-----END PRIVATE KEY-----\n")",
        "if \"-----BEGIN PRIVATE KEY-----\" in text: pass", KeyBlock),
    Token("encrypted-private-key", "-----BEGIN ENCRYPTED PRIVATE KEY-----" BJ_PEM_BODY,
          "-----BEGIN ENCRYPTED PRIVATE KEY" BJ_PEM_EXAMPLE,
          "-----BEGIN ENCRYPTED PRIVATE KEY-----\n...", KeyBlock),
    Token("pgp-private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----" BJ_PGP_HEADS BJ_PGP_BODY,
          "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2 "
          "(GNU/Linux)\n\n%6{64}\n%6{64}\n=abcd\n-----END PGP",
          "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1", KeyBlock),
    Token("pgp-private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----" BJ_PEM_BODY,
          "-----BEGIN PGP PRIVATE KEY BLOCK" BJ_PEM_EXAMPLE,
          "-----BEGIN PGP PRIVATE KEY BLOCK-----", KeyBlock),
    Token("ssh2-private-key",
          "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
          R"(([A-Za-z0-9+/=\s\r\n\\":.,_()@-]{40,}))",
          "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"a@b\"\n%6{70}\n%6{70}\n",
          "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nx", KeyBlock),
    Token("putty-private-key", R"(Private-Lines: %d{1,3}[\r\n\\n]{1,4}([A-Za-z0-9+/=\s\r\n]{40,}))",
          "Private-Lines: 2\n%6{64}\n%6{20}\nPrivate-MAC: %x{40}", "Private-Lines: 2\n", KeyBlock),
    Token("openvpn-static-key",
          R"(-----BEGIN OpenVPN Static key V1-----([A-Fa-f0-9\s\r\n\\n]{64,}))",
          "-----BEGIN OpenVPN Static key V1-----\n%x{32}\n%x{32}\n%x{32}\n-----END",
          "-----BEGIN OpenVPN Static key V1-----\n..."),
    // A base64-encoded PEM block ("-----BEGIN … PRIVATE KEY-----"), as in Kubernetes secrets.
    Token("base64-private-key",
          "LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFURSBLRVkt|QUklWQVRFIEtFWS0t|FQyBQUklWQVRFIEtFWS0t|"
          "PUEVOU1NIIFBSSVZBVEUgS0VZLS0t|EU0EgUFJJVkFURSBLRVkt|FTkNSWVBURUQgUFJJVkFURSBLRVkt)"
          "[A-Za-z0-9+/=_-]{40,}",
          "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo%6{90}",
          "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0t"),
    Token("age-secret-key", "AGE-SECRET-KEY-1[A-Z0-9]{58}", "AGE-SECRET-KEY-1%U{58}",
          "AGE-SECRET-KEY-1"),
    Named("wireguard-private-key", R"(PrivateKey\s{0,4}=\s{0,4}(%6{43}=))",
          "[Interface]\nPrivateKey = %6{43}=", "PrivateKey = load(path)", MixedCase),
    Token("jwk-private-key", R"("d"\s?:\s?"(%u{42,}))",
          R"({"kty":"EC","crv":"P-256","d":"%u{43}"})", R"({"kty":"EC","d":"%u{9}"})", MixedCase),
    Named("ethereum-private-key", "(?:private_key|privatekey|privkey|eth_key)%~((?:0x)?%x{64})",
          "PRIVATE_KEY=0x%x{64}", "private_key = x"),
    Token("extended-private-key", "(?:x|y|z|t)prv[1-9A-HJ-NP-Za-km-z]{107,108}",
          "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNN"
          "U3TGtRBeJgk33yuGBxrMPHi",
          "xprv9s2"),
    Token("nostr-private-key", "nsec1[a-z0-9]{58}", "nsec1%x{58}", "nsec1x"),
    Token("bcrypt-hash", R"(\$2(?:a|b|x|y)\$%d{2}\$([A-Za-z0-9./]{53}))", "$2b$12$%w{53}",
          "$2b$12$x"),
    Token("argon2-hash", R"(\$argon2(?:id|i|d)\$v=%d{2}\$m=([A-Za-z0-9+/=,$-]{30,300}))",
          "$argon2id$v=19$m=65536,t=3,p=4$%w{22}$%w{43}", "$argon2id$v=19"),
    Token(
        "unix-password-hash",
        R"(\$(?:1|5|6|y|apr1)\$(?:rounds=[0-9]{3,9}\$|j[A-Za-z0-9.]{1,4}\$)?([A-Za-z0-9./]{1,86}\$[A-Za-z0-9./]{22,86}))",
        "root:$6$%w{16}$%w{86}:19000:0", "$6$x"),
    Token("scrypt-hash", R"(\$scrypt\$ln=%d{1,2},r=%d{1,2},p=%d{1,2}\$([A-Za-z0-9+/=$]{30,300}))",
          "$scrypt$ln=16,r=8,p=1$%w{22}$%w{43}", "$scrypt$ln=16,r=8,p=1$x"),
    Token("pbkdf2-hash", R"(pbkdf2_sha(?:1|256|512)\$%d{3,8}\$([A-Za-z0-9+/=$]{30,300}))",
          "pbkdf2_sha256$600000$%w{22}$%w{43}=", "pbkdf2_sha256$600000$x"),
    Token("authorization-basic", R"((?:Basic|basic)\s(%6{12,}={0,2}))",
          "Authorization: Basic dXNlcjpodW50ZXIyaHVudGVyMg==", "basic understanding of it",
          BasicAuth),
    Token("jwt", R"(eyJ%u{10,4096}={0,2}\.[A-Za-z0-9_.=-]{10,})",
          "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ%w{40}.%u{43}", "eyJabcdefghijkl.x", Jwt),
    Token("authorization-bearer",
          R"((?:Bearer|bearer)\s(?:token\s)?([A-Za-z0-9_.~+/-]{16,}={0,2}))",
          "Authorization: Bearer %w{40}", "bearer authentication is required", SecretValue),
    Named(
        "authorization-token",
        R"(Authorization\\?["']?\s?[:=]\s?\\?["']?(?:token\s|ApiKey\s|Key\s)?([A-Za-z0-9_.~+/-]{20,}={0,2}))",
        "Authorization: token %x{40}", "Authorization: required_by_server", SecretValue),
    Named(
        "session-cookie",
        R"((?:session|sessionid|sid|auth|connect\.sid|jsessionid|phpsessid)=([A-Za-z0-9%._~+/-]{24,}))",
        "Set-Cookie: sessionid=%w{32}; Path=/", "session=abc", SecretValue),
    Named("postgres-url-password",
          R"(postgres(?:ql)?(?:\+[a-z0-9]{2,16})?://[^\s:/@"']{0,64}:([^\s@"'/]{1,256})@)",
          "postgresql+psycopg2://u:%w{12}@db/x", "postgres://user@host/db", UrlPassword),
    Named("mysql-url-password",
          R"((?:mysql|mariadb)(?:\+[a-z0-9]{2,16})?://[^\s:/@"']{0,64}:([^\s@"'/]{1,256})@)",
          "mysql://u:%w{12}@db/x", "mysql://host/db", UrlPassword),
    Named("mongodb-url-password", R"(mongodb(?:\+srv)?://[^\s:/@"']{0,64}:([^\s@"'/]{1,256})@)",
          "mongodb+srv://u:%w{12}@c.mongodb.net", "mongodb://localhost:27017/x", UrlPassword),
    Named("redis-url-password", R"(redis(?:s)?://[^\s:/@"']{0,64}:([^\s@"'/]{1,256})@)",
          "redis://:%w{12}@cache:6379/0", "redis://cache:6379/0", UrlPassword),
    Named("amqp-url-password", R"(amqp(?:s)?://[^\s:/@"']{0,64}:([^\s@"'/]{1,256})@)",
          "amqps://u:%w{12}@mq/v", "amqp://mq:5672/v", UrlPassword),
    Named("mssql-url-password",
          R"((?:mssql|sqlserver)(?:\+[a-z0-9]{2,16})?://[^\s:/@"']{0,64}:([^\s@"'/]{1,256})@)",
          "mssql+pyodbc://sa:%w{12}@db/x", "sqlserver://db:1433", UrlPassword),
    Named("url-password", R"(://[^\s:/@"'<>]{0,64}:([^\s@"'/<>]{1,256})@)",
          "https://user:%w{12}@host/x", "https://host:8080/a@b", UrlPassword),
    Named("url-token", R"(https://([A-Za-z0-9_]{20,255})@)",
          "git clone https://%w{40}@git.host/r.git", "https://documentation@host", SecretValue),
    Named("connection-string-password",
          R"(;(?:password| password|pwd| pwd)\s?=\s?([^;\s"']{4,256}))",
          "Server=a;User Id=b;Password=%w{10};", ";password=;", UrlPassword),
    Named("netrc-password", R"(login\s[^\s]{1,64}\spassword\s([^\s]{3,256}))",
          "machine a.b login me password 7%w{10}", "login and password reset", Password),
    Named("curl-password", R"(curl\s-u\s["']?[A-Za-z0-9_.@-]{1,64}:([^\s"'@]{4,256}))",
          "curl -u admin:%w{12} https://h", "curl -u admin https://h", UrlPassword),
    Named("sshpass-password", R"(sshpass\s-p\s?["']?([^\s"']{4,256}))", "sshpass -p %w{10} ssh h",
          "sshpass -p $PASS ssh h", UrlPassword),
};

}  // namespace

std::span<const Rule> KeyRules() { return kKeyRules; }

}  // namespace belljar::judgement::redaction
