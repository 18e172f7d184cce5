package org.tasktube.itest.trouble;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;

/** A provider of OpenID Connect with the flow of codes, whose tokens are signed. It logs in whom the test says. */
final class OidcProvider implements AutoCloseable {

    static final String CLIENT = "tasktube";
    static final String SECRET = "the-secret-of-the-client";

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final int FOUND = 302;
    private static final int OK = 200;
    private static final int MINUTE = 60;

    private final HttpServer http;
    private final KeyPair keys;
    private final Map<String, Code> codes = new ConcurrentHashMap<>();
    private volatile User user;

    private record User(String name, List<String> roles) {}

    /** @param nonce of the request, which the token about the user repeats */
    private record Code(User user, String nonce) {}

    OidcProvider() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            keys = generator.generateKeyPair();
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        http.createContext("/.well-known/openid-configuration", exchange -> answer(exchange, metadata()));
        http.createContext("/keys", exchange -> answer(exchange, publicKeys()));
        http.createContext("/auth", this::login);
        http.createContext("/token", this::token);
        http.start();
    }

    String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Sets who logs in from now on. */
    void user(String name, String... roles) {
        user = new User(name, List.of(roles));
    }

    private String metadata() {
        return Json.createObjectBuilder()
                .add("issuer", url())
                .add("authorization_endpoint", url() + "/auth")
                .add("token_endpoint", url() + "/token")
                .add("jwks_uri", url() + "/keys")
                .add("end_session_endpoint", url() + "/end")
                .add("response_types_supported", Json.createArrayBuilder().add("code"))
                .add("subject_types_supported", Json.createArrayBuilder().add("public"))
                .add(
                        "id_token_signing_alg_values_supported",
                        Json.createArrayBuilder().add("RS256"))
                .build()
                .toString();
    }

    private String publicKeys() {
        RSAPublicKey key = (RSAPublicKey) keys.getPublic();
        return Json.createObjectBuilder()
                .add(
                        "keys",
                        Json.createArrayBuilder()
                                .add(Json.createObjectBuilder()
                                        .add("kid", "one")
                                        .add("kty", "RSA")
                                        .add("alg", "RS256")
                                        .add("use", "sig")
                                        .add(
                                                "n",
                                                BASE64.encodeToString(unsigned(
                                                        key.getModulus().toByteArray())))
                                        .add(
                                                "e",
                                                BASE64.encodeToString(unsigned(
                                                        key.getPublicExponent().toByteArray())))))
                .build()
                .toString();
    }

    private static byte[] unsigned(byte[] number) {
        return number[0] == 0 ? java.util.Arrays.copyOfRange(number, 1, number.length) : number;
    }

    private void login(HttpExchange exchange) throws IOException {
        Map<String, String> query = fields(exchange.getRequestURI().getRawQuery());
        String code = UUID.randomUUID().toString();
        codes.put(code, new Code(user, query.getOrDefault("nonce", "")));
        String back = query.get("redirect_uri");
        exchange.getResponseHeaders()
                .add(
                        "Location",
                        back + (back.contains("?") ? "&" : "?") + "code=" + code + "&state="
                                + URLEncoder.encode(query.get("state"), UTF_8));
        exchange.sendResponseHeaders(FOUND, -1);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        Map<String, String> form = fields(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        Code code = codes.remove(form.getOrDefault("code", ""));
        if (code == null) {
            exchange.sendResponseHeaders(400, -1);
            exchange.close();
            return;
        }
        answer(
                exchange,
                Json.createObjectBuilder()
                        .add("access_token", accessToken(code.user.name, code.user.roles))
                        .add("id_token", signed(claims(code.user.name, "ID").add("nonce", code.nonce)))
                        .add("token_type", "Bearer")
                        .add("expires_in", MINUTE)
                        .build()
                        .toString());
    }

    /** Returns a token that a script sends. */
    String accessToken(String name, List<String> roles) {
        return accessToken(CLIENT, name, roles);
    }

    /** Returns a token that is meant for a client. */
    String accessToken(String client, String name, List<String> roles) {
        return signed(claims(name, "Bearer")
                .add("aud", client)
                .add("azp", client)
                .add("realm_access", Json.createObjectBuilder().add("roles", Json.createArrayBuilder(roles))));
    }

    private JsonObjectBuilder claims(String name, String type) {
        long now = Instant.now().getEpochSecond();
        return Json.createObjectBuilder()
                .add("iss", url())
                .add("sub", name)
                .add("aud", CLIENT)
                .add("exp", now + MINUTE)
                .add("iat", now)
                .add("typ", type)
                .add("preferred_username", name);
    }

    private String signed(JsonObjectBuilder claims) {
        try {
            String head = BASE64.encodeToString("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"one\"}".getBytes(UTF_8));
            String text =
                    head + "." + BASE64.encodeToString(claims.build().toString().getBytes(UTF_8));
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(text.getBytes(UTF_8));
            return text + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> fields(String encoded) {
        return Stream.of(encoded.split("&"))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(
                        pair -> pair[0], pair -> URLDecoder.decode(pair[1], UTF_8), (one, other) -> other));
    }

    private static void answer(HttpExchange exchange, String json) throws IOException {
        byte[] bytes = json.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(OK, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
